import { ProblemError } from '../../api/problem.ts';

/**
 * Uploads a file to a presigned URL, with XMLHttpRequest because only that reports the progress.
 * The content type is fixed, so no browser ever shows a stored file as a page.
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
      else reject(refusalIn(request.responseText, request.status));
    };
    request.onerror = () =>
      reject(new Error('The connection was lost, or the file has changed since it was chosen.'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

/** The reason and the request ID in an S3 error response. Two texts do not need an XML parser. */
export function refusalIn(answer: string, status: number): ProblemError {
  const [, message] = /<Message>([^<]+)<\/Message>/.exec(answer) ?? [];
  const [, requestId] = /<RequestId>([^<]+)<\/RequestId>/.exec(answer) ?? [];
  const detail =
    message === undefined
      ? `The storage refused the file (status ${status}).`
      : `The storage refused the file: ${unescaped(message)}`;
  const title = 'Upload refused';
  return new ProblemError({ title, detail, status, ...(requestId && { requestId }) });
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
