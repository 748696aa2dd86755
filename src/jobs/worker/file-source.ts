import { messageOf, TributaryError } from '../../domain/errors.ts';
import type { ImportProblem } from '../../domain/import-problems.ts';
import {
  type ObjectStore,
  type ObjectVersion,
  StorageFault,
  VersionGone,
} from '../../objects/port.ts';

/** Where the files lie that a job reads. */
export interface FileSource extends AsyncDisposable {
  /** The files that the job names at this moment, in key order. */
  files(): AsyncIterable<ObjectVersion>;
  /** Tells of the bytes as they come. */
  open(version: ObjectVersion, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array>;
  /** What a file is called in a log. */
  nameOf(version: ObjectVersion): string;
  /** Why what the store threw ends the job, if it does; throws what is to be tried again. */
  failureOf(error: unknown): Promise<ImportProblem>;
}

/** What reading a source throws: `cause` came from the store, and from nowhere else. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Files of the shared bucket. */
export interface SharedSource extends FileSource {
  /** The version that stands there now. */
  stat(key: string): Promise<ObjectVersion | undefined>;
  failureOf(error: unknown): Promise<never>;
}

/** Those at, or below, a key of the shared bucket; none if it is null. */
export function openSharedSource(objects: ObjectStore, path: string | null): SharedSource {
  return {
    files: () => ofSource(path === null ? noFiles() : objects.find(path)),
    open: (version, onBytes) =>
      ofSource(objects.open(version, 0), (chunk) => onBytes(chunk.length)),
    async stat(key) {
      try {
        return await objects.stat(key);
      } catch (error) {
        throw new SourceFailure(error);
      }
    },
    nameOf: (version) => version.key,
    // Our own bucket is the operator's to mend: jobs wait for that.
    async failureOf(error) {
      if (!(error instanceof StorageFault)) throw error;
      throw new TributaryError('unavailable', `The shared bucket cannot be read: ${error.message}`, {
        cause: error,
      });
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** What a store gives, and what it throws as a SourceFailure. */
export async function* ofSource<T>(
  items: AsyncIterable<T>,
  onItem: (item: T) => void = () => {},
): AsyncGenerator<T> {
  try {
    for await (const item of items) {
      onItem(item);
      yield item;
    }
  } catch (error) {
    throw error instanceof VersionGone ? error : new SourceFailure(error);
  }
}

async function* noFiles(): AsyncGenerator<never> {}
