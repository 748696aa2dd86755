/** Percent-encoding as SigV4 and S3 do it: every byte but letters, digits and `-._~`. */
export function uriEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function uriEncodePath(path: string): string {
  return path.split('/').map(uriEncode).join('/');
}

/** Undefined for what is not well-formed: a lone `%`, or bytes that are not UTF-8. */
export function uriDecode(text: string): string | undefined {
  try {
    // Bytes that came unescaped stand as Latin-1 in what Node hands on.
    return decodeURIComponent(text.replace(/[\u0080-\u00ff]/g, escapeByte));
  } catch {
    return undefined;
  }
}

function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16)}`;
}
