import type { DiskStore, StoredObject } from '../../disk/disk-store.ts';
import { VersionGone } from '../../port.ts';
import { S3Error } from '../wire/s3-error.ts';

const attempts = 5;

/** Runs work on the current version; repeats it if the object was replaced meanwhile. */
export async function withCurrentVersion<T>(
  store: DiskStore,
  key: string,
  work: (object: StoredObject) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const object = await store.stat(key);
    if (!object) throw new S3Error('NoSuchKey', undefined, { Key: key });
    try {
      return await work(object);
    } catch (error) {
      if (!(error instanceof VersionGone) || attempt === attempts) throw error;
    }
  }
}

/** Reads the first chunk now, so that an immediate failure can still change the response. */
export async function readAhead(
  content: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const iterator = content[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array> | undefined = await iterator.next();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = first ?? (await iterator.next());
        first = undefined;
        return result;
      },
      async return() {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}
