/** Percent-encoding of SigV4 and S3: every byte except letters, digits and `-._~`. */
export function uriEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function uriEncodePath(path: string): string {
  return path.split('/').map(uriEncode).join('/');
}

/** Undefined for malformed text: a lone `%`, or bytes that are not UTF-8. */
export function uriDecode(text: string): string | undefined {
  try {
    // Node represents unescaped bytes as Latin-1.
    return decodeURIComponent(text.replace(/[\u0080-\u00ff]/g, escapeByte));
  } catch {
    return undefined;
  }
}

function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16)}`;
}
