import { closeSync, openSync } from 'node:fs';

/** The files a thread has open for reading. It closes the least recently used beyond a few. */
export interface OpenFiles {
  /** Returns a descriptor that is valid until the next call. */
  open(path: string): number;
  close(): void;
}

const maxOpen = 8;

export function createOpenFiles(): OpenFiles {
  // A map keeps insertion order. A used file is inserted again, so the oldest come first.
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
