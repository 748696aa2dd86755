import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, type GetObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { messageOf, TributaryError } from '../../domain/errors.ts';
import { type ObjectVersion, VersionGone } from '../port.ts';
import { defaultRetryPolicy, type S3Options } from './s3-client.ts';
import { statusOf, translateS3Error } from './s3-faults.ts';
import { type StoredChecksum, storedChecksum } from './stored-checksum.ts';

/**
 * Reads a version from `offset` to its end. If a connection breaks or stalls, a new one continues at the
 * same position, always in the same version.
 */
export async function* readVersion(
  client: S3Client,
  options: S3Options,
  version: ObjectVersion,
  offset: number,
): AsyncGenerator<Uint8Array> {
  const { idleMs, breaks, breakPauseMs } = { ...defaultRetryPolicy, ...options.retryPolicy };
  let checksum: StoredChecksum | undefined;
  let position = offset;
  for (let broken = 0; ; ) {
    const answer = await get(client, options, version, position);
    if (position === 0) checksum = storedChecksum(answer);
    try {
      for await (const chunk of withIdleTimeout(answer.Body as Readable, idleMs)) {
        position += chunk.length;
        if (position > version.size) break;
        checksum?.update(chunk);
        broken = 0;
        yield chunk;
      }
      if (position >= version.size) break;
      throw new Error('the connection closed early');
    } catch (error) {
      if (position >= version.size) break;
      options.onError?.('network');
      if (++broken > breaks) throw readError(messageOf(error), error);
      await sleep(breakPauseMs * 2 ** (broken - 1));
    }
  }
  if (position !== version.size) throw readError('received more bytes than its size');
  if (checksum && !(await checksum.matches())) throw readError('checksum mismatch');

  function readError(why: string, cause?: unknown): TributaryError {
    return new TributaryError(
      'unavailable',
      `Could not read the object ${version.key} in the bucket ${options.bucket}: ${why}`,
      { cause },
    );
  }
}

async function get(
  client: S3Client,
  options: S3Options,
  version: ObjectVersion,
  position: number,
): Promise<GetObjectCommandOutput> {
  const command = new GetObjectCommand({
    Bucket: options.bucket,
    Key: version.key,
    IfMatch: `"${version.etag}"`,
    ...(position > 0 ? { Range: `bytes=${position}-` } : {}),
  });
  let answer: GetObjectCommandOutput;
  try {
    answer = await client.send(command);
  } catch (error) {
    throw isGone(error) ? new VersionGone(version) : translateS3Error(error, options);
  }
  try {
    // Some stores ignore conditions and ranges and return the object all the same.
    if (etagOf(answer.ETag) !== version.etag) throw new VersionGone(version);
    if (position > 0 && !answer.ContentRange?.startsWith(`bytes ${position}-`)) {
      throw new Error(`the store of the bucket ${options.bucket} does not support range requests`);
    }
  } catch (error) {
    (answer.Body as Readable).destroy();
    throw error;
  }
  return answer;
}

/** The version was replaced or deleted. A missing bucket is a different error. */
export function isGone(error: unknown): boolean {
  const status = statusOf(error);
  if (status === 404) return (error as Error).name !== 'NoSuchBucket';
  return status === 412 || status === 416;
}

export function etagOf(header: string | undefined): string {
  return (header ?? '').replace(/^"(.*)"$/, '$1');
}

/** Counts only the time spent waiting for the sender, not the reader's time. */
async function* withIdleTimeout(body: Readable, idleMs: number): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    timer = setTimeout(() => {
      body.destroy(new Error(`no data received for ${idleMs / 1000} s`));
    }, idleMs);
  };
  try {
    watch();
    for await (const chunk of body) {
      clearTimeout(timer);
      yield chunk;
      watch();
    }
  } finally {
    clearTimeout(timer);
  }
}
