import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInflater, type Inflated } from './inflater.ts';

const content = Buffer.from(Array.from({ length: 5000 }, (_, i) => `line ${i * i}\n`).join(''));

interface Steps {
  readonly inputs: readonly Uint8Array[];
  readonly outputBytes: number;
}

/** Inflates a file like the real caller: one input per step while there are any. */
function inflateAll({ inputs, outputBytes }: Steps): { state: Inflated['state']; bytes: Buffer } {
  const inflater = createInflater();
  const found: Buffer[] = [];
  let usedUp = 0;
  for (let step = 0; ; step++) {
    const output = new SharedArrayBuffer(outputBytes);
    const input = inputs[step] ?? null;
    const isLast = step >= inputs.length - 1;
    const made = inflater.inflate({ file: 7, isFirst: step === 0, input, isLast, output });
    found.push(Buffer.from(Uint8Array.from(new Uint8Array(output, 0, made.bytes))));
    usedUp += made.usedUp;
    if (made.state === 'under way') {
      // The pieces are copied one after the other, which is fast only if they are aligned.
      expect(made.bytes % 8).toBe(0);
      continue;
    }
    if (made.state === 'done') expect(usedUp).toBe(inputs.length);
    inflater.forgetFile({ file: 7 });
    return { state: made.state, bytes: Buffer.concat(found) };
  }
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % bytes.length), bytes.length];
  sorted.sort((a, b) => a - b);
  return sorted.slice(1).map((end, i) => bytes.subarray(sorted[i], end));
}

test('members inflate to their content for any cuts and output sizes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(content.length), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.integer({ min: 16, max: 100_000 }),
      fc.nat(20),
      (lengths, places, outputBytes, padding) => {
        const members = lengths.map((length) => content.subarray(0, length));
        const zipped = members.map((member) => gzipSync(member));
        const inputs = cut(Buffer.concat([...zipped, Buffer.alloc(padding)]), places);
        const { state, bytes } = inflateAll({ inputs, outputBytes });
        expect(state).toBe('done');
        expect(bytes.equals(Buffer.concat(members))).toBe(true);
      },
    ),
    { numRuns: process.env.TRIBUTARY_SOAK ? 2000 : 50 },
  );
});

test.each([
  ['that is truncated', gzipSync(content).subarray(0, -1)],
  ['without a header', deflateRawSync(content)],
  ['with bytes after its padding', Buffer.concat([gzipSync(''), Buffer.from([0, 0, 1])])],
])('a file %s is damaged and stays damaged', (_, bytes) => {
  const inflater = createInflater();
  const step = { file: 1, input: null, isLast: true, output: new SharedArrayBuffer(1 << 20) };
  expect(inflater.inflate({ ...step, isFirst: true, input: bytes }).state).toBe('damaged');
  expect(inflater.inflate({ ...step, isFirst: false })).toEqual({
    bytes: 0,
    usedUp: 0,
    state: 'damaged',
  });
});

test('several files are inflated concurrently', () => {
  const inflater = createInflater();
  const zipped = gzipSync(content);
  const halves = [zipped.subarray(0, 999), zipped.subarray(999)];
  const found = ['', ''];
  for (const [step, input] of halves.entries()) {
    for (const file of [0, 1]) {
      const output = new SharedArrayBuffer(1 << 20);
      const isFirst = step === 0;
      const made = inflater.inflate({ file, isFirst, input, isLast: step === 1, output });
      found[file] += Buffer.from(output, 0, made.bytes).toString();
    }
  }
  expect(found).toEqual([content.toString(), content.toString()]);
});

test('a thread rejects a file that it has not started', () => {
  const step = { file: 1, isFirst: false, input: null, isLast: false };
  const output = new SharedArrayBuffer(8);
  expect(() => createInflater().inflate({ ...step, output })).toThrow('has ended');
});
