import { readFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { createIntake } from '../intake.ts';

// Reads a small file of blank lines that expands to 6 GiB, and prints the result and the memory used.

const compression = process.argv[2];
const much = Buffer.alloc(1 << 26, '\n');
const part = compression === 'gzip' ? gzipSync(much) : zstdCompressSync(much);

async function* bomb(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 100; i++) yield part;
}

await using intake = createIntake({ threads: 2 });
const { outcome, problems, bytesRead } = await intake
  .openAudienceFile(bomb(), {
    file: 'bomb',
    compressed: undefined,
    compressedBytes: 100 * part.length,
    rejectLimit: 1,
    signal: new AbortController().signal,
  })
  .read({ labelNumber: () => 0, onBatch: async (batch) => batch.release() });
const codes = problems.map(({ code }) => code);
// Not `process.resourceUsage().maxRSS`, which a new process takes over from the process that started it.
const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
const memory = Number(peak) * 1024;
process.stdout.write(JSON.stringify({ outcome, codes, bytesRead, memory }));
