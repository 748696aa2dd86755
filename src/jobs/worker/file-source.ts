import { messageOf, TributaryError } from '../../domain/errors.ts';
import type { ImportProblem } from '../../domain/import-problems.ts';
import {
  type ObjectStore,
  type ObjectVersion,
  StorageFault,
  VersionGone,
} from '../../objects/port.ts';

/** The files that a job reads. */
export interface FileSource extends AsyncDisposable {
  /** The files that currently match the job's path, in key order. */
  files(): AsyncIterable<ObjectVersion>;
  /** Calls `onBytes` with the size of each chunk. */
  open(version: ObjectVersion, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array>;
  /** The file's name in logs and problems. */
  nameOf(version: ObjectVersion): string;
  /** The problem that fails the job. Rethrows errors after which the job is retried. */
  failureOf(error: unknown): Promise<ImportProblem>;
}

/** An error of the store. `cause` is the store's own error. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Files of the shared bucket. */
export interface SharedSource extends FileSource {
  /** The current version of a file. */
  stat(key: string): Promise<ObjectVersion | undefined>;
  failureOf(error: unknown): Promise<never>;
}

/** Files at or under a key of the shared bucket; none if it is null. */
export function openSharedSource(objects: ObjectStore, path: string | null): SharedSource {
  return {
    files: () => wrapSourceErrors(path === null ? noFiles() : objects.find(path)),
    open: (version, onBytes) =>
      wrapSourceErrors(objects.open(version, 0), (chunk) => onBytes(chunk.length)),
    async stat(key) {
      try {
        return await objects.stat(key);
      } catch (error) {
        throw new SourceFailure(error);
      }
    },
    nameOf: (version) => version.key,
    // Only the operator can repair the shared bucket. Jobs wait until then.
    async failureOf(error) {
      if (!(error instanceof StorageFault)) throw error;
      throw new TributaryError(
        'unavailable',
        `The shared bucket cannot be read: ${error.message}`,
        {
          cause: error,
        },
      );
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Passes on a store's items. Its errors become `SourceFailure`, except `VersionGone`. */
export async function* wrapSourceErrors<T>(
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
