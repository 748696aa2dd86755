import { writeSync } from 'node:fs';
import type { ChecksumName } from '../checksum-algorithms.ts';
import { type Digests, type RunningDigests, startDigests } from '../content.ts';

interface Writing {
  readonly fd: number;
  readonly digests: RunningDigests;
}

export type WriteTasks = ReturnType<typeof createWriteTasks>;

/** The tasks of a thread, which works on any number of files. The caller numbers them. */
export function createWriteTasks() {
  const files = new Map<number, Writing>();

  function find(id: number): Writing {
    const file = files.get(id);
    // A thread that replaces another one does not have its checksums.
    if (!file) throw new Error('the thread that wrote the file ended');
    return file;
  }

  return {
    begin({ id, fd, names }: { id: number; fd: number; names: readonly ChecksumName[] }): void {
      files.set(id, { fd, digests: startDigests(names) });
    },
    store({ id, bytes, position }: { id: number; bytes: Uint8Array; position: number }): void {
      const { fd, digests } = find(id);
      digests.update(bytes);
      for (let from = 0; from < bytes.length; ) {
        from += writeSync(fd, bytes, from, bytes.length - from, position + from);
      }
    },
    finish: (id: number): Promise<Digests> => find(id).digests.finish(),
    drop(id: number): void {
      files.delete(id);
    },
  };
}
