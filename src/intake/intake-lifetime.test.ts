import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { RowBatch } from '../domain/row-batch.ts';
import { createIntake, type FileReading } from './intake.ts';
import { plainRows } from './testing/plain-rows.ts';
import { readWhole } from './testing/read-file.ts';

const intake = createIntake({ threads: 2, chunkBytes: 10_000 });

afterAll(() => intake[Symbol.asyncDispose]());

const rowsPerPiece = 1000;

function deviceOf(row: number): string {
  return `00000000-0000-4000-8000-${row.toString(16).padStart(12, '0')}`;
}

/** Rows whose devices encode their position in the file. */
function piece(from: number): Buffer {
  const rows = Array.from({ length: rowsPerPiece }, (_, i) => `${deviceOf(from + i)},view\n`);
  return Buffer.from(rows.join(''));
}

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield piece(i * rowsPerPiece);
}

function options(signal = new AbortController().signal) {
  return { file: 'f', compressed: undefined, rejectLimit: 0, signal };
}

function readFile(
  source: AsyncIterable<Uint8Array>,
  given: ReturnType<typeof options>,
  onBatch: (batch: RowBatch) => Promise<void>,
): Promise<FileReading> {
  return intake.openAudienceFile(source, given).read({ labelNumber: () => 0, onBatch });
}

/** Checks that the intake still works. */
async function expectUsable(): Promise<void> {
  const { rows } = await readWhole(intake, [piece(0)], {
    layout: { kind: 'audience', labelLimit: 1 },
  });
  expect(rows).toHaveLength(rowsPerPiece);
}

test('rows keep their order across chunks and threads', async () => {
  const devices: string[] = [];
  await readFile(pieces(20), options(), async (batch) => {
    devices.push(...plainRows(batch).map(([device]) => device));
    batch.release();
  });
  const expected = Array.from({ length: 20 * rowsPerPiece }, (_, i) =>
    deviceOf(i).replaceAll('-', ''),
  );
  expect(devices).toEqual(expected);
});

test('batches that are kept stay unchanged while the file is read', async () => {
  const held: RowBatch[] = [];
  await readFile(pieces(20), options(), async (batch) => {
    held.push(batch);
  });
  await expectUsable();
  const devices = held.flatMap((batch) => plainRows(batch).map(([device]) => device));
  expect(devices.at(-1)).toBe(deviceOf(20 * rowsPerPiece - 1).replaceAll('-', ''));
  expect(new Set(devices).size).toBe(20 * rowsPerPiece);
  for (const batch of held) batch.release();
});

test('reading waits for a slow receiver once several batches are pending', async () => {
  let taking = 0;
  let most = 0;
  await readFile(pieces(3), options(), async (batch) => {
    most = Math.max(most, ++taking);
    await new Promise((resolve) => setTimeout(resolve, 20));
    taking--;
    batch.release();
  });
  expect(most).toBe(5);
});

test('several files are read concurrently', async () => {
  const layout = { kind: 'audience', labelLimit: 9 } as const;
  const readings = await Promise.all(
    [1, 2, 3, 4].map((count) =>
      readWhole(
        intake,
        Array.from({ length: count }, (_, i) =>
          Buffer.from(
            piece(i * rowsPerPiece)
              .toString()
              .replaceAll('view', `view ${count}`),
          ),
        ),
        { layout },
      ),
    ),
  );
  expect(readings.map(({ totalRows }) => totalRows)).toEqual([1000, 2000, 3000, 4000]);
  expect(readings.map(({ labels }) => labels)).toEqual([
    ['view 1'],
    ['view 2'],
    ['view 3'],
    ['view 4'],
  ]);
});

describe('a reading ends', () => {
  test('with an error of the source, which is not taken for the end of the file', async () => {
    const error = new Error('storage unavailable');
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* pieces(5);
      throw error;
    }
    const reading = readFile(failing(), options(), async (batch) => {
      batch.release();
    });
    await expect(reading).rejects.toBe(error);
    await expectUsable();
  });

  test('with an error of the receiver, and closes the source', async () => {
    const error = new Error('disk full');
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield* pieces(100);
        throw new Error('read to its end');
      } finally {
        closed = true;
      }
    }
    let batches = 0;
    const reading = readFile(source(), options(), async () => {
      if (++batches === 3) throw error;
    });
    await expect(reading).rejects.toBe(error);
    // The third batch failed; at most four more were handed over.
    expect(batches).toBe(7);
    expect(closed).toBe(true);
    await expectUsable();
  });

  test('when the file fails, and closes the source', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('no columns\n'.repeat(1000));
        for (;;) yield piece(0);
      } finally {
        closed = true;
      }
    }
    const reading = await readFile(source(), options(), async () => {});
    expect(reading.outcome).toBe('failed');
    expect(closed).toBe(true);
  });

  test('on abort, even if the source is stuck', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    async function* stuck(): AsyncGenerator<Uint8Array> {
      yield* pieces(3);
      queueMicrotask(() => controller.abort(reason));
      await new Promise(() => {});
    }
    const reading = readFile(stuck(), options(controller.signal), async (batch) => {
      batch.release();
    });
    await expect(reading).rejects.toBe(reason);
    await expectUsable();
  });

  test('on abort, in the middle of an endless file', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield* pieces(1);
    }
    let batches = 0;
    const reading = readFile(endless(), options(controller.signal), async (batch) => {
      if (++batches === 10) controller.abort(reason);
      batch.release();
    });
    await expect(reading).rejects.toBe(reason);
    expect(batches).toBeLessThan(15);
    await expectUsable();
  });

  describe('within endless gzip', () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      const member = gzipSync(piece(0));
      for (;;) yield member;
    }

    test('on abort, well within a second', async () => {
      const controller = new AbortController();
      const reason = new Error('stopped');
      let abortedAt = 0;
      let batches = 0;
      const { signal } = controller;
      const reading = readFile(endless(), options(signal), async (batch) => {
        batch.release();
        if (++batches !== 100) return;
        abortedAt = performance.now();
        controller.abort(reason);
      });
      await expect(reading).rejects.toBe(reason);
      expect(performance.now() - abortedAt).toBeLessThan(500);
      await expectUsable();
    });

    test('with an error of the receiver', async () => {
      const error = new Error('disk full');
      const reading = readFile(endless(), options(), async () => {
        throw error;
      });
      await expect(reading).rejects.toBe(error);
      await expectUsable();
    });
  });
});
