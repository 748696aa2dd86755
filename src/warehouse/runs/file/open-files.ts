import { closeSync, openSync } from 'node:fs';

/** Files that a thread opened to read, a few at a time, however many it reads. */
export interface OpenFiles {
  /** The descriptor, good until the next call. */
  open(path: string): number;
  close(): void;
}

const maxOpen = 8;

export function createOpenFiles(): OpenFiles {
  // A map keeps the order of insertion; what is used is inserted anew, so the oldest stand first.
  const files = new Map<string, number>();
  return {
    open(path) {
      const known = files.get(path);
      files.delete(path);
      for (const [oldest, fd] of files) {
        if (files.size < maxOpen) break;
        files.delete(oldest);
        closeSync(fd);
      }
      const fd = known ?? openSync(path, 'r');
      files.set(path, fd);
      return fd;
    },
    close() {
      for (const fd of files.values()) closeSync(fd);
      files.clear();
    },
  };
}
