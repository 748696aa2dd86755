import type { DiskStore, StoredObject } from '../../disk/disk-store.ts';
import { VersionGone } from '../../port.ts';
import { S3Error } from '../wire/s3-error.ts';

const attempts = 5;

/** Works on the object as it is now; anew if it was replaced meanwhile. */
export async function ofCurrentVersion<T>(
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

/** The content with its first bytes read, so that what fails at once fails before the answer. */
export async function begin(
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
