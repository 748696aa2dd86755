import { Readable } from 'node:stream';
import { afterAll, describe, expect, it, test, vi } from 'vitest';
import { createIntake, type FileReceiver, type OpenedFile } from '../../intake/intake.ts';
import { type PlainRow, plainRows } from '../../intake/testing/plain-rows.ts';
import type { ObjectStore } from '../../objects/port.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import { attemptOf, type PartReading, storeRows, takeStoredRows } from './stored-rows.ts';

const claim = { jobId: 1, attempt: 1 } as Claim;
const intake = createIntake({ threads: 1, chunkBytes: 1_000 });
afterAll(() => intake[Symbol.asyncDispose]());

function open(text: string): OpenedFile {
  return intake.openAudienceFile(Readable.from([Buffer.from(text)]), {
    file: 'f',
    compressed: undefined,
    compressedBytes: undefined,
    rejectLimit: 1,
    signal: new AbortController().signal,
  });
}

/** Hands over to a receiver with at most `most` labels. Returns all that it received. */
async function receive(
  read: (receiver: FileReceiver) => Promise<PartReading>,
  known: readonly string[],
  most: number,
) {
  const labels = [...known];
  const rows: PlainRow[] = [];
  const rejects: unknown[] = [];
  const { sums, bytesRead } = await read({
    labelNumber(label) {
      if (labels.includes(label)) return labels.indexOf(label);
      return labels.length < most ? labels.push(label) - 1 : undefined;
    },
    onReject: ({ line, code, original }) =>
      void rejects.push([line, code, Buffer.from(original).toString()]),
    async onBatch(batch) {
      rows.push(...plainRows(batch));
      batch.release();
    },
  });
  return { sums, bytesRead, labels, rows, rejects };
}

/** Stores the rows of a file. Null if they are not stored. */
async function store(text: string): Promise<Buffer[] | null> {
  const chunks: Buffer[] = [];
  const objects: Pick<ObjectStore, 'put'> = {
    async put(key, content) {
      for await (const chunk of content) chunks.push(Buffer.from(chunk));
      return { key, etag: 'e', size: Buffer.concat(chunks).length };
    },
  };
  return (await storeRows(objects, claim, open(text))) && chunks;
}

/** Lines with the labels, each `times` times. */
function lines(labels: readonly string[], times: number): string {
  const some = Array.from({ length: times }, () => labels).flat();
  return some
    .map((label, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')},${label}\n`)
    .join('');
}

describe('stored rows', () => {
  it('give a receiver the same as reading the lines, however many labels it accepts', async () => {
    const first = lines(['grün', '', 'b', 'c'], 20);
    const text = `${first}nobody,b\n\n${lines(['d', 'b', 'e', 'f'], 30)}nobody,g\n${lines(['g'], 3)}`;
    for (const most of [0, 2, 4, 9]) {
      const stored = (await store(text))!;
      const known = ['f', 'x'].slice(0, most);
      const taken = await receive((to) => takeStoredRows(Readable.from(stored), to), known, most);
      const read = await receive((to) => open(text).read(to), known, most);
      expect(taken).toEqual(read);
      expect(taken.rows).toHaveLength(203);
      const leftOut = taken.sums.problems.filter(({ code }) => code === 'too_many_labels');
      expect(leftOut).toHaveLength(most === 9 ? 0 : 1);
    }
  });

  it('are the same wherever the store cuts them', async () => {
    const text = lines(['a', 'b', 'c'], 100);
    const whole = Buffer.concat((await store(text))!);
    const bytes = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
    const taken = await receive((to) => takeStoredRows(Readable.from(bytes), to), [], 2);
    expect(taken).toEqual(await receive((to) => open(text).read(to), [], 2));
  });

  it('are not stored if there are more labels than an audience can have', async () => {
    const labels = Array.from({ length: 1_001 }, (_, n) => `label ${n}`);
    expect(await store(lines(labels.slice(1), 1))).not.toBeNull();
    expect(await store(lines(labels, 1))).toBeNull();
  });

  it('that are not stored leave no memory that was read ahead', async () => {
    const labels = Array.from({ length: 1_001 }, (_, n) => `label ${n}`);
    const part = open(lines(labels, 1));
    // All but the last chunk, at least.
    await vi.waitFor(() => expect(intake.aheadBytes()).toBeGreaterThan(45 << 16));
    const objects: Pick<ObjectStore, 'put'> = {
      async put(key, content) {
        for await (const _ of content as AsyncIterable<Uint8Array>);
        return { key, etag: 'e', size: 0 };
      },
    };
    expect(await storeRows(objects, claim, part)).toBeNull();
    await part[Symbol.asyncDispose]();
    expect(intake.aheadBytes()).toBe(0);
  });

  it('that are incomplete are refused', async () => {
    const whole = Buffer.concat((await store(lines(['a'], 100)))!);
    const cut = Readable.from([whole.subarray(0, whole.length - 1)]);
    await expect(receive((to) => takeStoredRows(cut, to), [], 9)).rejects.toThrow('incomplete');
  });
});

test('a store that fails while it gets a block ends the reading', async () => {
  const objects: Pick<ObjectStore, 'put'> = {
    async put(_, content) {
      for await (const __ of content as AsyncIterable<Uint8Array>) throw new Error('disk full');
      throw new Error('no block');
    },
  };
  const endless: Parameters<typeof storeRows>[2]['read'] = async ({ onBatch }) => {
    for (;;)
      await onBatch({
        words: new Uint32Array(1 << 16),
        rows: 1,
        numbering: null,
        release() {},
      } as never);
  };
  const part = { read: endless } as Parameters<typeof storeRows>[2];
  const stored = storeRows(objects, claim, part);
  await expect(stored).rejects.toThrow('the store has stopped');
});

test('only keys of stored rows have an attempt', () => {
  expect(attemptOf('parts/12-3/a1b2')).toEqual({ jobId: 12, attempt: 3 });
  for (const key of ['parts/readme.txt', 'parts/12-3', 'parts/a-1/b', 'parts/12-3x/b']) {
    expect(attemptOf(key)).toBeUndefined();
  }
});
