import { createHash, randomBytes } from 'node:crypto';
import type { ObjectStore } from '../objects/port.ts';
import type { ByteSource } from './byte-source.ts';

/** Size and SHA-256 of an object. */
interface Stored {
  readonly bytes: number;
  readonly sha256: Buffer;
}

/** What came from DROP and what goes to it, in the shared object store, where no partner reaches it. */
export interface ArchiveStore {
  /** When it resolves, the object is complete and durable. */
  put(key: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Stored>;
  /** Of an object that may not exist. */
  measure(key: string): Promise<Stored | undefined>;
  open(key: string): Promise<ByteSource>;
  /** A small object as a whole. */
  read(key: string): Promise<Buffer>;
  /** Throws if nothing can be stored at the moment. */
  checkReady(): Promise<void>;
}

const prefix = 'drop/';

/** An object that was stored is gone or has changed. The message is for operators. */
export class ObjectLost extends Error {
  override readonly name = 'ObjectLost';
}

/** A folder for a new cycle. Its name is random, because a restored database gives ids a second time. */
export function newFolder(): string {
  return `${prefix}${randomBytes(8).toString('hex')}/`;
}

/** A folder in it for what one attempt writes, because an attempt that was frozen may still write. */
export function newAttempt(folder: string, name: string): string {
  return `${folder}${name}-${randomBytes(4).toString('hex')}/`;
}

/** The key of the ZIP file. */
export function archiveKey(folder: string): string {
  return `${folder}archive.zip`;
}

export function createArchiveStore(objects: ObjectStore): ArchiveStore {
  return {
    async put(key, content) {
      const measured = createMeasure(content);
      await objects.put(key, measured.content());
      return measured.result();
    },

    async measure(key) {
      const version = await objects.stat(key);
      if (!version) return undefined;
      const measured = createMeasure(objects.open(version, 0));
      for await (const _ of measured.content());
      return measured.result();
    },

    async open(key) {
      const version = await existing(key);
      return { size: version.size, read: (offset) => objects.open(version, offset) };
    },

    async read(key) {
      const chunks: Buffer[] = [];
      for await (const chunk of objects.open(await existing(key), 0)) {
        chunks.push(Buffer.from(chunk));
      }
      return Buffer.concat(chunks);
    },

    checkReady: objects.checkReady,
  };

  async function existing(key: string) {
    const version = await objects.stat(key);
    if (version) return version;
    throw new ObjectLost(`The object ${key} is missing. Restore it from a backup`);
  }
}

function createMeasure(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *content(): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    result: (): Stored => ({ bytes, sha256: hash.digest() }),
  };
}
