/** A folder or bucket that holds sets. Paths are relative to it and use slashes. */
export interface BackupTarget extends AsyncDisposable {
  /** As the operator writes it. */
  readonly address: string;
  /**
   * Writes a file, complete or not at all. Replaces a file with that path. Pass the size, or a size that it
   * does not exceed: a bucket needs it for a very large file.
   */
  put(path: string, content: AsyncIterable<Uint8Array>, mostBytes?: number): Promise<void>;
  /** Reads a file. Throws FileMissing if there is none. */
  open(path: string): AsyncIterable<Uint8Array>;
  /** The run files and blobs, which sets share. */
  listFiles(): AsyncIterable<TargetFile>;
  /** The files in the folders of the sets. */
  listSets(): AsyncIterable<TargetFile>;
  /** Removing a missing file is not an error. */
  remove(path: string): Promise<void>;
  /** Makes everything durable that was put. */
  settle(): Promise<void>;
}

/** The folder of the files that sets share. */
export const sharedFiles = 'files';

export interface TargetFile {
  readonly path: string;
  readonly size: number;
}

export class FileMissing extends Error {
  override readonly name = 'FileMissing';

  constructor(path: string, cause?: unknown) {
    super(`${path} is missing`, { cause });
  }
}

/** A backup cannot be made or used. The message is for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
