import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError } from '../problems.ts';
import { type Content, openContent, streamOf } from './content.ts';
import { createMultipartUpload, partBytesFor, type StorageKeys } from './multipart.ts';

export interface UploadOptions {
  /** Called while the upload proceeds, with the bytes sent so far and all bytes. */
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
  readonly signal?: AbortSignal;
}

/** A place for one file, as the service assigns it. */
export interface UploadLink {
  readonly url: string;
  readonly file_path: string;
  readonly s3_path: string;
}

interface UploadDependencies {
  readonly retryingFetch: (request: Request) => Promise<Response>;
  readonly storage: StorageKeys | undefined;
}

const gibibyte = 1024 ** 3;
/** The most that one PUT may have. */
const linkBytes = 5 * gibibyte;
const linkAttempts = 4;
const pauseMs = 1_000;

/**
 * Uploads content to the link, in one request. Content of more than one part goes to the same place in
 * parts, if there are storage credentials.
 */
export function createUpload({ retryingFetch, storage }: UploadDependencies) {
  const uploadParts = storage && createMultipartUpload(storage, retryingFetch);
  return async function upload(
    createLink: () => Promise<UploadLink>,
    source: string | Uint8Array,
    options: UploadOptions,
  ): Promise<string> {
    await using content = await openContent(source);
    const link = await createLink();
    if (uploadParts && content.size > partBytesFor(content.size)) {
      await uploadParts(link, content, options);
    } else {
      if (content.size > linkBytes) {
        throw new Error('a file of more than 5 GiB requires storage credentials: set `storage`');
      }
      await putWithRetries(link, createLink, content, options);
    }
    return link.file_path;
  };
}

/** Each attempt sends everything again, to a new link, because a link expires. */
async function putWithRetries(
  first: UploadLink,
  createLink: () => Promise<UploadLink>,
  content: Content,
  options: UploadOptions,
): Promise<void> {
  let link = first;
  for (let attempt = 1; ; attempt++) {
    const failure = await put(link, content, options);
    if (!failure) return;
    if (!failure.mayPass || attempt === linkAttempts) throw failure.error;
    await sleep(Math.random() * pauseMs * 2 ** attempt, undefined, {
      ...(options.signal && { signal: options.signal }),
    });
    link = await createLink();
  }
}

async function put(link: UploadLink, content: Content, { onProgress, signal }: UploadOptions) {
  try {
    const response = await fetch(link.url, {
      method: 'PUT',
      body: streamOf(content, (sent) => onProgress?.(sent, content.size)),
      duplex: 'half',
      redirect: 'manual',
      headers: { 'content-length': String(content.size) },
      ...(signal && { signal }),
    } as RequestInit);
    if (response.ok) return undefined;
    const error = new Error(`the upload failed with ${response.status}: ${await response.text()}`);
    return { error, mayPass: response.status >= 500 || response.status === 429 };
  } catch (cause) {
    signal?.throwIfAborted();
    return { error: new ConnectionError('the upload was interrupted', { cause }), mayPass: true };
  }
}
