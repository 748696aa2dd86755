import { createHash, type Hash } from 'node:crypto';

interface Addition {
  readonly upload: number;
  readonly isFirst: boolean;
  readonly bytes: Uint8Array;
}

export type Md5Tasks = ReturnType<typeof createMd5Tasks>;

/** The tasks of a thread that computes the MD5 of any number of uploads concurrently. */
export function createMd5Tasks() {
  const uploads = new Map<number, Hash>();

  function hashOf(upload: number): Hash {
    const hash = uploads.get(upload);
    if (!hash) throw new Error('the thread that hashed the beginning of the upload has ended');
    return hash;
  }

  return {
    add({ upload, isFirst, bytes }: Addition): void {
      if (isFirst) uploads.set(upload, createHash('md5'));
      hashOf(upload).update(bytes);
    },

    digest({ upload }: { readonly upload: number }): string {
      return hashOf(upload).digest('hex');
    },

    forget({ upload }: { readonly upload: number }): void {
      uploads.delete(upload);
    },
  };
}
