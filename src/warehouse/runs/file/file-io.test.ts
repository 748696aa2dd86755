import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFully, writeFully } from './file-io.ts';

test.each([0, 1, 128 * 1024, 128 * 1024 + 1, 300_000])(
  '%i bytes are written and read back completely',
  (length) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-file-io-'));
    const fd = openSync(join(folder, 'file'), 'w+');
    try {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) ^ (i >>> 8));
      writeFully(fd, bytes, 5);
      const read = new Uint8Array(length);
      readFully(fd, read, 5);
      expect(Buffer.compare(read, bytes)).toBe(0);
      expect(fstatSync(fd).size).toBe(length > 0 ? 5 + length : 0);
    } finally {
      closeSync(fd);
      rmSync(folder, { recursive: true });
    }
  },
);
