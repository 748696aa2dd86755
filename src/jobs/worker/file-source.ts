import { messageOf, TributaryError } from '../../domain/errors.ts';
import { type ImportProblem, wholeImportProblem } from '../../domain/import-problems.ts';
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
  /** Reads that version, from the offset on if there is one. */
  open(version: ObjectVersion, offset?: number): AsyncIterable<Uint8Array>;
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

/** A job's path has more files than a job may have. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
  readonly problem: ImportProblem;

  constructor(maxFiles: number) {
    const message = `There are more than ${maxFiles.toLocaleString('en')} files at or under the path. Queue them in parts, each with a longer path, or ask the operator for a higher limit.`;
    super(message);
    this.problem = wholeImportProblem('too_many_files', message);
  }
}

/** All files of a source. Throws TooManyFiles as soon as there are more than `maxFiles`. */
export async function listFiles(source: FileSource, maxFiles: number): Promise<ObjectVersion[]> {
  const files: ObjectVersion[] = [];
  // A store may list more about an object than a job needs, so only this is kept.
  for await (const { key, etag, size } of source.files()) {
    if (files.length === maxFiles) throw new TooManyFiles(maxFiles);
    files.push({ key, etag, size });
  }
  return files;
}

/** Files of the shared bucket. */
export interface SharedSource extends FileSource {
  /** The current version of a file. Undefined if there is none, or the job may not read it. */
  stat(key: string): Promise<ObjectVersion | undefined>;
  failureOf(error: unknown): Promise<never>;
}

/** Which objects a job reads: at or under a key, or only this version of the one with exactly this key. */
export function findFiles(
  store: Pick<ObjectStore, 'find' | 'stat'>,
  path: string,
  etag: string | null,
): AsyncIterable<ObjectVersion> {
  return etag === null ? store.find(path) : onlyVersion(store.stat(path), etag);
}

async function* onlyVersion(
  current: Promise<ObjectVersion | undefined>,
  etag: string,
): AsyncGenerator<ObjectVersion> {
  const version = await current;
  if (version?.etag === etag) yield version;
}

/** The version of a file that a watch queued is gone. */
export function fileChanged(path: string): ImportProblem {
  return wholeImportProblem(
    'file_changed',
    `The file ${JSON.stringify(path)} was replaced or deleted before it was read. The watch loads its new version, if it has one.`,
  );
}

/** Files at or under a key of the shared bucket; none if it is null. */
export function openSharedSource(
  objects: ObjectStore,
  path: string | null,
  etag: string | null = null,
): SharedSource {
  return {
    files: () => wrapSourceErrors(path === null ? noFiles() : findFiles(objects, path, etag)),
    open: (version, offset = 0) => wrapSourceErrors(objects.open(version, offset)),
    async stat(key) {
      try {
        const version = await objects.stat(key);
        return etag === null || version?.etag === etag ? version : undefined;
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
export async function* wrapSourceErrors<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof VersionGone ? error : new SourceFailure(error);
  }
}

async function* noFiles(): AsyncGenerator<never> {}
