import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { noReserve } from '../../src/domain/disk-reserve.ts';
import { inPlace, wordsPerDevice } from '../../src/domain/row-batch.ts';
import { createLoader } from '../../src/warehouse/runs/load/loader.ts';
import { createLoaderThreads } from '../../src/warehouse/runs/load/loader-threads.ts';
import { statusBytes } from '../harness/process-status.ts';

// Loads random rows, each with one of many attributes, without files and database, and prints time and
// peak memory: node bench/worker/many-attributes-program.ts [rows] [attributes] [memory MB]

const [rows = 10_000_000, attributes = 10_000, memoryMb = 256] = process.argv.slice(2).map(Number);
const rowsPerBatch = 50_000;
const wordsPerRow = wordsPerDevice + 1;
const { signal } = new AbortController();

const directory = await mkdtemp(join(tmpdir(), 'tributary-many-attributes-'));
const threads = createLoaderThreads(availableParallelism());
const loader = createLoader({
  directory,
  manifest: { runsOf: async () => [] },
  runFiles: { register: async () => true },
  reserve: noReserve,
  threads,
  memoryBytes: memoryMb * 1024 * 1024,
  maxLoads: 8,
  maxSmallLoads: 0,
});
let state = 1;

/** Fast, and random enough to spread devices and attributes evenly. */
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}

const words = new Uint32Array(new SharedArrayBuffer(rowsPerBatch * wordsPerRow * 4));
const load = loader.beginLoad({ jobId: 1, attempt: 1 });
for (let done = 0; done < rows; done += rowsPerBatch) {
  for (let at = 0; at < words.length; at += wordsPerRow) {
    for (let word = 0; word < wordsPerDevice; word++) words[at + word] = random();
    words[at + wordsPerDevice] = (inPlace | (random() % attributes)) >>> 0;
  }
  await load.add({ words, rows: rowsPerBatch, numbering: null, release() {} });
}
const before = await statusBytes(process.pid, 'VmHWM');
const begun = performance.now();
const segmentIds = Array.from({ length: attributes }, (_, number) => number + 1);
const { uniqueDevices } = await load.stage({ segmentIds, everyRow: null, mode: 'merge' }, signal);
const seconds = (performance.now() - begun) / 1000;
const peak = await statusBytes(process.pid, 'VmHWM');
const inMb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
process.stdout.write(
  `${uniqueDevices} devices, ${attributes} attributes: staged in ${seconds.toFixed(1)} s, ` +
    `peak ${inMb(before)} before staging, ${inMb(peak)} after\n`,
);
await load[Symbol.asyncDispose]();
await threads[Symbol.asyncDispose]();
await rm(directory, { recursive: true });
