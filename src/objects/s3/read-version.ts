import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, type GetObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { messageOf, TributaryError } from '../../domain/errors.ts';
import { type ObjectVersion, VersionGone } from '../port.ts';
import { type DeclaredChecksum, declaredChecksum } from './declared-checksum.ts';
import { type S3Options, usualPatience } from './s3-client.ts';
import { statusOf, translate } from './s3-faults.ts';

/**
 * The bytes of a version from `offset` to its end, over as many connections as it takes: one that
 * breaks or stalls is followed by another from where it stopped, of the same version always.
 */
export async function* readVersion(
  client: S3Client,
  options: S3Options,
  version: ObjectVersion,
  offset: number,
): AsyncGenerator<Uint8Array> {
  const { idleMs, breaks, breakPauseMs } = { ...usualPatience, ...options.patience };
  let checksum: DeclaredChecksum | undefined;
  let position = offset;
  for (let broken = 0; ; ) {
    const answer = await get(client, options, version, position);
    if (position === 0) checksum = declaredChecksum(answer);
    try {
      for await (const chunk of withoutStalls(answer.Body as Readable, idleMs)) {
        position += chunk.length;
        if (position > version.size) break;
        checksum?.update(chunk);
        broken = 0;
        yield chunk;
      }
      if (position >= version.size) break;
      throw new Error('the connection ended early');
    } catch (error) {
      if (position >= version.size) break;
      if (++broken > breaks) throw unreadable(messageOf(error), error);
      await sleep(breakPauseMs * 2 ** (broken - 1));
    }
  }
  if (position !== version.size) throw unreadable('more bytes came than it has');
  if (checksum && !(await checksum.matches())) throw unreadable('its bytes arrived damaged');

  function unreadable(why: string, cause?: unknown): TributaryError {
    return new TributaryError(
      'unavailable',
      `The object ${version.key} of the bucket ${options.bucket} could not be read: ${why}`,
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
    throw isGone(error) ? new VersionGone(version) : translate(error, options);
  }
  try {
    // Not every store knows conditions and ranges: one that ignores them answers all the same.
    if (etagOf(answer.ETag) !== version.etag) throw new VersionGone(version);
    if (position > 0 && !answer.ContentRange?.startsWith(`bytes ${position}-`)) {
      throw new Error(`the store of the bucket ${options.bucket} does not answer range requests`);
    }
  } catch (error) {
    (answer.Body as Readable).destroy();
    throw error;
  }
  return answer;
}

/** Replaced, deleted, or replaced by something shorter; a bucket that is gone is another matter. */
export function isGone(error: unknown): boolean {
  const status = statusOf(error);
  if (status === 404) return (error as Error).name !== 'NoSuchBucket';
  return status === 412 || status === 416;
}

export function etagOf(header: string | undefined): string {
  return (header ?? '').replace(/^"(.*)"$/, '$1');
}

/** Only waiting for the sender counts, not the time that the reader takes. */
async function* withoutStalls(body: Readable, idleMs: number): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    timer = setTimeout(() => {
      body.destroy(new Error(`no byte came for ${idleMs / 1000} s`));
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
