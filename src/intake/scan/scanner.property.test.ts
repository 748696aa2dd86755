import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerNumber } from '../../domain/row-batch.ts';
import { anyFile, segments } from '../testing/awkward-files.ts';
import { outputBytes, slackBytes } from './chunk-cursor.ts';
import { buildKeyTable } from './key-table.ts';
import type { RowKind, ScannedChunk, ScanTask } from './scan-task.ts';
import { createScanner } from './scanner.ts';

const fast = createScanner();
const slow = createScanner({ useFastPath: false });

const keys = buildKeyTable(segments);
const rowKinds: readonly RowKind[] = [
  { kind: 'audience' },
  { kind: 'marketplace', keys, mode: 'merge' },
  { kind: 'marketplace', keys, mode: 'replace' },
];

function taskOf(lines: Uint8Array, rowKind: RowKind): ScanTask {
  const input = new SharedArrayBuffer(lines.length + slackBytes);
  const bytes = new Uint8Array(input);
  // Leftover bytes after the lines must not be read as part of them.
  bytes.fill(0x61).set(lines);
  const capacity = Math.ceil(outputBytes(lines.length, rowKind.kind) / 4) * 4;
  return {
    input,
    start: 0,
    end: lines.length,
    isFileStart: true,
    layout: null,
    rowKind,
    output: new SharedArrayBuffer(capacity),
    keptRejects: 5,
  };
}

function scanned(
  scanner: typeof fast,
  lines: Uint8Array,
  rowKind: RowKind,
): { chunk: ScannedChunk; words: Uint32Array } {
  const task = taskOf(lines, rowKind);
  const chunk = scanner.scan(task);
  return { chunk, words: new Uint32Array(task.output).slice(0, chunk.words) };
}

describe.each(rowKinds)('rows of $kind', (rowKind) => {
  test('are the same on the fast path and on the slow path', () => {
    fc.assert(
      fc.property(anyFile(rowKind.kind), (bytes) => {
        const lines = Buffer.concat([bytes, Buffer.from('\n')]);
        expect(scanned(fast, lines, rowKind)).toEqual(scanned(slow, lines, rowKind));
      }),
      { numRuns: process.env.TRIBUTARY_SOAK === '1' ? 10_000 : 500 },
    );
  });
});

test('a chunk may have more labels than the dictionary initially holds', () => {
  const names = Array.from({ length: 3000 }, (_, i) =>
    i % 2 ? `label ${i}` : `another label ${i}`,
  );
  const rows = [...names, ...names.toReversed()].map(
    (name) => `11111111-1111-4111-8111-111111111111,${name}\n`,
  );
  const lines = Buffer.from(rows.join(''));
  const { chunk, words } = scanned(fast, lines, { kind: 'audience' });
  expect({ chunk, words }).toEqual(scanned(slow, lines, { kind: 'audience' }));
  const numbers = Array.from({ length: 6000 }, (_, row) => words[row * 5 + 4]! & headerNumber);
  expect(numbers).toEqual([...names.keys(), ...[...names.keys()].reverse()]);
  expect(chunk.labels?.counts.every((count) => count === 2)).toBe(true);
});
