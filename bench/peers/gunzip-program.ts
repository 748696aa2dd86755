import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { serveCalls, timed } from '../harness/serve-calls.ts';

const chunkSize = 1 << 20;

export type GunzipCalls = typeof calls;

const calls = {
  /** Decompresses a file and discards the content. */
  gunzip: (path: string) =>
    timed(async () => {
      let bytes = 0;
      const compressed = createReadStream(path, { highWaterMark: chunkSize });
      for await (const chunk of compressed.pipe(createGunzip({ chunkSize }))) bytes += chunk.length;
      return { bytes };
    }),
};

serveCalls(calls);
