/** One version of an object. New content under the same key has a new ETag. */
export interface ObjectVersion {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
}

/** A version, and when it was uploaded. */
export interface UploadedVersion extends ObjectVersion {
  readonly modifiedAt: Date;
}

/** A page of a folder. The limit counts folders and objects together. */
interface FolderPage {
  /** Prefixes that end in a slash, in byte order. */
  readonly folders: readonly string[];
  /** The objects directly in the folder, without folder markers, in byte order. */
  readonly objects: readonly UploadedVersion[];
  /** Continues after this page. Null: this is the last page. */
  readonly next: string | null;
}

export interface ObjectStore {
  /**
   * Finds the object with exactly that key; if there is none, every object whose key begins with it,
   * in byte order. Skips folder markers.
   */
  find(path: string): AsyncIterable<ObjectVersion>;
  stat(key: string): Promise<ObjectVersion | undefined>;
  /**
   * Reads that exact version from `offset` on. A chunk is valid until the reader requests the one after
   * the next. Throws VersionGone if the version no longer exists.
   */
  open(version: ObjectVersion, offset: number): AsyncIterable<Uint8Array>;
  /** When this resolves, the object is complete and durable. Until then readers see the old one. */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<ObjectVersion>;
  /** Every object whose key begins with the prefix, with folder markers, in byte order and in pages. */
  uploaded(prefix: string): AsyncIterable<readonly UploadedVersion[]>;
  /** The folders and objects whose keys begin with the prefix and have no further slash but at the end. */
  folder(prefix: string, after: string | null, limit: number): Promise<FolderPage>;
  /** Deletes those of the versions that are still there, and returns them. */
  removeVersions(
    versions: readonly UploadedVersion[],
    signal: AbortSignal,
  ): Promise<UploadedVersion[]>;
  /**
   * Deletes every object and open upload whose key begins with the prefix. Call it when nobody uploads
   * there any more.
   */
  removeAll(prefix: string, signal: AbortSignal): Promise<void>;
  /** Throws an error that operators understand if objects cannot be read or written. */
  checkReady(): Promise<void>;
}

/** S3 consoles create a folder as an empty object whose key ends in a slash. */
export function isFolderMarker({ key, size }: ObjectVersion): boolean {
  return size === 0 && key.endsWith('/');
}

/** The requested version was replaced or deleted: stat again and start over. */
export class VersionGone extends Error {
  override readonly name = 'VersionGone';

  constructor(version: ObjectVersion) {
    super(`object ${version.key} no longer has the version ${version.etag}`);
  }
}

/** Temporary keys have a session token. */
export interface AccessKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A role that the service assumes, with the external ID that its trust policy must name. */
export interface AssumableRole {
  readonly roleArn: string;
  readonly externalId: string;
}

/** Opens a partner's own bucket with the credentials the partner sent. */
export type OpenPartnerBucket = (
  bucket: string,
  credentials: (AccessKeys | AssumableRole) & { readonly region: string },
) => Promise<ObjectStore & AsyncDisposable>;

/** The classes of failed requests to a bucket. Objects that do not exist are no failure. */
export const storageErrorClasses = ['throttled', 'server', 'denied', 'request', 'network'] as const;

export type StorageErrorClass = (typeof storageErrorClasses)[number];

/** Links that let a browser upload to one key without credentials. */
export interface UploadLinks {
  /** The origin of every link. A page that uses links must be allowed to connect to it. */
  readonly origin: string;
  /**
   * Until it expires, anyone with the link can put this one object under the partner's prefix. A link of
   * the embedded store ends with the API key that asked for it.
   */
  create(owner: UploadLinkOwner, key: string): Promise<UploadLink>;
}

export interface UploadLinkOwner {
  readonly partnerId: number;
  readonly apiKeyId: number;
}

export interface UploadLink {
  readonly url: string;
  readonly expiresAt: Date;
}

export const uploadLinkSeconds = 15 * 60;

/** The store refuses the request, and a retry would not help. Outages are other errors. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  readonly code: 'access_denied' | 'no_such_bucket' | 'wrong_region';

  constructor(code: StorageFault['code'], message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
