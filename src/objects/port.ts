/** One version of one object. Other content under the same key has another ETag. */
export interface ObjectVersion {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
}

export interface ObjectStore {
  /**
   * The object of exactly that key; if there is none, every object whose key begins with it, in
   * byte order. Folder markers are passed over.
   */
  find(path: string): AsyncIterable<ObjectVersion>;
  stat(key: string): Promise<ObjectVersion | undefined>;
  /**
   * The bytes of that very version from `offset` on. A chunk is good until the one after the next is
   * asked for. Throws VersionGone if it is no longer there.
   */
  open(version: ObjectVersion, offset: number): AsyncIterable<Uint8Array>;
  /** The object appears whole, and durable, when this resolves; before that the old one stands. */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<ObjectVersion>;
  /** Throws, in words for an operator, if objects cannot be read or written. */
  checkReady(): Promise<void>;
}

/** What consoles put in the place of a folder: an empty object whose key ends in a slash. */
export function isFolderMarker({ key, size }: ObjectVersion): boolean {
  return size === 0 && key.endsWith('/');
}

/** The version asked for was replaced or deleted: stat again and start over. */
export class VersionGone extends Error {
  override readonly name = 'VersionGone';

  constructor(version: ObjectVersion) {
    super(`object ${version.key} no longer has the version ${version.etag}`);
  }
}

/** Opens a bucket that is not ours, with the credentials its owner sent. */
export type OpenPartnerBucket = (
  bucket: string,
  credentials: { accessKeyId: string; secretAccessKey: string; region: string },
) => Promise<ObjectStore & AsyncDisposable>;

/** Let a browser upload by itself, to one key and without credentials of its own. */
export interface UploadLinks {
  /** Where all of them lead to: what a page that uses them must be allowed to connect to. */
  readonly origin: string;
  /** Whoever holds the link can put that one object below the partner's prefix, until it expires. */
  create(partnerId: number, key: string): Promise<UploadLink>;
}

export interface UploadLink {
  readonly url: string;
  readonly expiresAt: Date;
}

export const uploadLinkSeconds = 15 * 60;

/**
 * The store refuses, in a way that will not pass by waiting: an expected outcome of reading
 * somebody's bucket. Outages and surprises are not of this kind.
 */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  readonly code: 'access_denied' | 'no_such_bucket';

  constructor(code: StorageFault['code'], message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
