import { createHash, createHmac } from 'node:crypto';

interface SignedRequest {
  readonly method: string;
  /** With an encoded path and query. */
  readonly url: string;
  readonly region: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly now?: Date;
}

const payload = 'UNSIGNED-PAYLOAD';

/** The headers that sign a request with AWS Signature Version 4. Checksums protect the body instead. */
export function signHeaders({ method, url, region, keys, now = new Date() }: SignedRequest) {
  const { host, pathname, search } = new URL(url);
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers = { host, 'x-amz-content-sha256': payload, 'x-amz-date': time };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const request = [method, pathname, search.slice(1), lines.join(''), names, payload].join('\n');
  const hash = createHash('sha256').update(request).digest('hex');
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest();
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash}`).toString('hex');
  const { host: _, ...sent } = headers;
  const credential = `${keys.accessKeyId}/${scope}`;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** A query in the order and encoding that signatures require. */
export function encodeQuery(query: Readonly<Record<string, string>>): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}
