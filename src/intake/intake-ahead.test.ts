import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test, vi } from 'vitest';
import type { RowBatch } from '../domain/row-batch.ts';
import { createIntake } from './intake.ts';
import { plainRows } from './testing/plain-rows.ts';

const mostAheadBytes = 16 << 20;
const intake = createIntake({ threads: 2, chunkBytes: 50_000, mostAheadBytes });
afterAll(() => intake[Symbol.asyncDispose]());

const rowsPerPiece = 1_000;
const piecesPerFile = 3;

function deviceOf(row: number): string {
  return `00000000-0000-4000-8000-${row.toString(16).padStart(12, '0')}`;
}

function piece(file: number, number: number): Buffer {
  const from = (file * piecesPerFile + number) * rowsPerPiece;
  const rows = Array.from({ length: rowsPerPiece }, (_, i) => `${deviceOf(from + i)},l${file}\n`);
  return Buffer.from(`${rows.join('')}nobody,l${file}\n`);
}

interface Watched extends AsyncIterable<Uint8Array> {
  bytes: number;
  isEnded: boolean;
  isClosed: boolean;
}

/** A source that reports how far it was read. */
function watch(pieces: Iterable<Uint8Array>, onPiece = () => {}): Watched {
  const watched = {
    bytes: 0,
    isEnded: false,
    isClosed: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (const bytes of pieces) {
          onPiece();
          await turnOfLoop();
          watched.bytes += bytes.length;
          yield bytes;
        }
        watched.isEnded = true;
      } finally {
        watched.isClosed = true;
      }
    },
  };
  return watched;
}

function* endless(): Generator<Uint8Array> {
  for (;;) yield piece(0, 0);
}

function fileOf(number: number): Buffer[] {
  return Array.from({ length: piecesPerFile }, (_, i) => piece(number, i));
}

function options(file: string, signal = new AbortController().signal) {
  return { file, compressed: undefined, rejectLimit: 1, signal };
}

const discard = {
  labelNumber: () => 0,
  onBatch: async (batch: RowBatch) => batch.release(),
};

const files = [0, 1, 2, 3];

test.each([
  ['plain', (bytes: Buffer) => bytes],
  ['gzip', (bytes: Buffer) => gzipSync(bytes)],
])('%s files are read before their turn and handed over in their order', async (_, pack) => {
  const sources = files.map((file) => watch(fileOf(file).map(pack)));
  const opened = sources.map((source, file) =>
    intake.openAudienceFile(source, options(String(file))),
  );
  // The last file is read although none before it was.
  await vi.waitFor(() => expect(sources.every(({ isEnded }) => isEnded)).toBe(true), 60_000);
  const events: string[] = [];
  const devices: string[] = [];
  for (const [file, { read }] of opened.entries()) {
    let bytes = 0;
    const reading = await read({
      labelNumber: (label) => events.push(label) - 1,
      onReject: ({ line }) => events.push(`${file}:${line}`),
      onBytes: (more) => {
        bytes += more;
      },
      async onBatch(batch) {
        devices.push(...plainRows(batch).map(([device]) => device));
        batch.release();
      },
    });
    expect(reading).toMatchObject({
      outcome: 'read',
      validRows: piecesPerFile * rowsPerPiece,
      rejectedRows: piecesPerFile,
    });
    expect(bytes).toBe(sources[file]!.bytes);
  }
  expect(events).toEqual(
    files.flatMap((file) => [`l${file}`, ...[1, 2, 3].map((n) => `${file}:${n * 1_001}`)]),
  );
  const total = files.length * piecesPerFile * rowsPerPiece;
  expect(devices).toEqual(
    Array.from({ length: total }, (_, row) => deviceOf(row).replaceAll('-', '')),
  );
  expect(intake.aheadBytes()).toBe(0);
});

test('files that wait for their turn hold no more than the bound', async () => {
  let most = 0;
  const sample = () => {
    most = Math.max(most, intake.aheadBytes());
  };
  const sources = [watch(Array(200).fill(piece(0, 0)), sample)];
  for (let i = 0; i < 6; i++) sources.push(watch(endless(), sample));
  const opened = sources.map((source) => intake.openAudienceFile(source, options('f')));
  const { validRows } = await opened[0]!.read(discard);
  expect(validRows).toBe(200 * rowsPerPiece);
  sample();
  expect(most).toBeGreaterThan(mostAheadBytes / 2);
  expect(most).toBeLessThanOrEqual(mostAheadBytes);
  // A chunk takes at least as much memory as it has text, because buffers have a least size.
  const aheadText = sources.slice(1).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(aheadText).toBeLessThan(2 * mostAheadBytes);

  await Promise.all(opened.map((file) => file[Symbol.asyncDispose]()));
  await vi.waitFor(() => expect(sources.every(({ isClosed }) => isClosed)).toBe(true), 60_000);
  expect(intake.aheadBytes()).toBe(0);
});

test('an error before the turn of a file is thrown when it is read', async () => {
  function* failing(): Generator<Uint8Array> {
    yield piece(0, 0);
    throw new Error('storage unavailable');
  }
  const source = watch(failing());
  const file = intake.openAudienceFile(source, options('f'));
  await vi.waitFor(() => expect(source.isClosed).toBe(true), 60_000);
  await expect(file.read(discard)).rejects.toThrow('storage unavailable');
  expect(intake.aheadBytes()).toBe(0);
});

test('an abort ends files that wait for their turn', async () => {
  const controller = new AbortController();
  const sources = files.map(() => watch(endless()));
  const opened = sources.map((source) =>
    intake.openAudienceFile(source, options('f', controller.signal)),
  );
  await vi.waitFor(() => expect(intake.aheadBytes()).toBeGreaterThan(mostAheadBytes / 2), 60_000);
  controller.abort(new Error('stopped'));
  await vi.waitFor(() => expect(sources.every(({ isClosed }) => isClosed)).toBe(true), 60_000);
  await Promise.all(opened.map((file) => file[Symbol.asyncDispose]()));
  expect(intake.aheadBytes()).toBe(0);
});
