import type { S3Options } from '../objects/s3/s3-client.ts';
import { createS3Store } from '../objects/s3/s3-store.ts';
import { type BackupTarget, FileMissing, sharedFiles, type TargetFile } from './target.ts';

/** Sets below a prefix of a bucket. The prefix is empty or ends in a slash. */
export function openS3Target(address: string, prefix: string, options: S3Options): BackupTarget {
  const store = createS3Store(options);
  return {
    address,

    async put(path, content, mostBytes) {
      await store.put(prefix + path, content, mostBytes);
    },

    async *open(path) {
      const version = await store.stat(prefix + path);
      if (!version) throw new FileMissing(path);
      yield* store.open(version, 0);
    },

    listFiles: () => listBelow(`${sharedFiles}/`),
    // The name of a set begins with the year.
    listSets: () => listBelow('2'),

    remove: (path) => store.remove(prefix + path),
    async settle() {},
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };

  async function* listBelow(beginning: string): AsyncGenerator<TargetFile> {
    for await (const { key, size } of store.find(prefix + beginning)) {
      yield { path: key.slice(prefix.length), size };
    }
  }
}
