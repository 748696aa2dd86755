/**
 * Puts a file to where a link points. By XMLHttpRequest, for only it tells how much has gone out.
 * The type is always the same: what is stored shall never be shown as a page by some browser.
 */
export function sendFile(
  url: string,
  file: File,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, file.size));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new Error(refusalIn(request.responseText, request.status)));
    };
    request.onerror = () =>
      reject(new Error('The connection broke off, or the file has changed since it was chosen.'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

/** The reason in an S3 answer. Not parsed as XML: it is one element, and of text. */
export function refusalIn(answer: string, status: number): string {
  const [, message] = /<Message>([^<]+)<\/Message>/.exec(answer) ?? [];
  return message === undefined
    ? `The storage refused the file (${status}).`
    : `The storage refused the file: ${unescaped(message)}`;
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

function unescaped(text: string): string {
  return text.replaceAll(/&\w+;/g, (entity) => entities[entity] ?? entity);
}
