import { createHash } from 'node:crypto';
import type { Content } from './content.ts';
import { encodeQuery, signHeaders } from './s3-signature.ts';
import type { UploadLink, UploadOptions } from './upload.ts';

/** Storage credentials, as the operator issues them. */
export interface StorageKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const mebibyte = 1024 ** 2;
const leastPartBytes = 8 * mebibyte;
const mostParts = 10_000;
const partsAtOnce = 4;

/** The size of the parts of a file. It depends on the file alone, so that an upload can continue. */
export function partBytesFor(size: number): number {
  return Math.max(leastPartBytes, Math.ceil(size / mostParts / mebibyte) * mebibyte);
}

/**
 * Uploads content in parts, several at once. Parts that an interrupted upload of the same file has stored
 * are not sent again.
 */
export function createMultipartUpload(
  keys: StorageKeys,
  retryingFetch: (request: Request) => Promise<Response>,
) {
  return async function uploadParts(
    link: UploadLink,
    content: Content,
    { onProgress, signal }: UploadOptions,
  ): Promise<void> {
    const place = placeOf(link);

    async function call(
      method: string,
      address: string,
      query: Record<string, string>,
      body?: Uint8Array<ArrayBuffer> | string,
    ): Promise<Response> {
      const text = encodeQuery(query);
      const url = `${address}?${text}`;
      const signed = signHeaders({ method, url, region: place.region, keys });
      const request = new Request(url, {
        method,
        headers: signed,
        ...(body === undefined ? {} : { body }),
        ...(signal && { signal }),
      });
      const response = await retryingFetch(request);
      if (response.ok) return response;
      throw new Error(`the storage responded with ${response.status}: ${await response.text()}`);
    }

    const textOf = async (response: Promise<Response>) => (await response).text();

    /** The latest upload of this key that was not completed. */
    async function unfinished(): Promise<string | undefined> {
      const list = await textOf(call('GET', place.bucket, { prefix: link.s3_path, uploads: '' }));
      const uploads = elementsOf(list, 'Upload').filter(
        (upload) => elementsOf(upload, 'Key')[0] === link.s3_path,
      );
      return uploads.map((upload) => elementsOf(upload, 'UploadId')[0]).at(-1);
    }

    /** The ETags of the stored parts, by number. */
    async function storedParts(uploadId: string): Promise<Map<number, string>> {
      const stored = new Map<number, string>();
      for (let marker = '0'; ; ) {
        const query = { 'part-number-marker': marker, uploadId };
        const list = await textOf(call('GET', place.object, query));
        for (const part of elementsOf(list, 'Part')) {
          stored.set(Number(elementsOf(part, 'PartNumber')[0]), elementsOf(part, 'ETag')[0] ?? '');
        }
        if (elementsOf(list, 'IsTruncated')[0] !== 'true') return stored;
        marker = elementsOf(list, 'NextPartNumberMarker')[0] ?? '';
      }
    }

    async function begin(): Promise<string> {
      const begun = await textOf(call('POST', place.object, { uploads: '' }));
      return elementsOf(begun, 'UploadId')[0] ?? '';
    }

    const found = await unfinished();
    const stored = found === undefined ? new Map<number, string>() : await storedParts(found);
    const uploadId = found ?? (await begin());
    const partBytes = partBytesFor(content.size);
    const count = Math.ceil(content.size / partBytes);
    const etags: string[] = [];
    let sent = 0;
    let next = 1;

    async function sendParts(): Promise<void> {
      while (next <= count) {
        const number = next++;
        const start = (number - 1) * partBytes;
        const part = await content.read(start, Math.min(start + partBytes, content.size));
        const md5 = createHash('md5').update(part).digest('hex');
        const query = { partNumber: String(number), uploadId };
        const isStored = stored.get(number)?.replaceAll('"', '') === md5;
        etags[number - 1] = isStored
          ? `"${md5}"`
          : ((await call('PUT', place.object, query, part)).headers.get('etag') ?? `"${md5}"`);
        sent += part.length;
        onProgress?.(sent, content.size);
      }
    }

    await Promise.all(Array.from({ length: partsAtOnce }, sendParts));
    const list = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
    // The storage may report an error after it has begun a successful response.
    const completed = await textOf(call('POST', place.object, { uploadId }, body));
    if (completed.includes('<Error>')) throw new Error(`the storage responded with: ${completed}`);
  };
}

/** The addresses of the object and its bucket, and the region, as the link has them. */
function placeOf({ url, s3_path }: UploadLink) {
  const { origin, pathname, searchParams } = new URL(url);
  // The path of the bucket is empty or has one segment, depending on the storage.
  const bucket = pathname.split('/').slice(0, -s3_path.split('/').length).join('/');
  const region = searchParams.get('X-Amz-Credential')?.split('/')[2] ?? 'us-east-1';
  return { object: origin + pathname, bucket: `${origin}${bucket}/`, region };
}

/** The contents of all elements with this name, with entities replaced. */
function elementsOf(xml: string, name: string): string[] {
  const found = xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'));
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return [...found].map(([, content = '']) =>
    content.includes('<')
      ? content
      : content.replace(/&(#?\w+);/g, (whole, entity: string) =>
          entity.startsWith('#x')
            ? String.fromCodePoint(Number.parseInt(entity.slice(2), 16))
            : entity.startsWith('#')
              ? String.fromCodePoint(Number(entity.slice(1)))
              : (entities[entity] ?? whole),
        ),
  );
}
