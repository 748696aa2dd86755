import { expect, it } from 'vitest';
import { openLoading } from '../testing/loading.ts';
import { batchOf, type Row, spreadDevice } from '../testing/rows.ts';
import type { NewDevices } from './tasks/part-tasks.ts';

const { signal } = new AbortController();

it('sends a thread about a thousand runs at a time', async () => {
  await using under = await openLoading({ threads: 2, memoryBytes: 1 << 22, inline: true });
  const sent: number[] = [];
  const segments = 2_500;
  const segmentIds = Array.from({ length: segments }, (_, i) => i + 1);
  for (const jobId of [1, 2]) {
    await using load = under.begin(jobId, (name, input) => {
      if (name !== 'encodeNew') return;
      const { items } = input as { items: readonly NewDevices[] };
      sent.push(items.reduce((sum, { runs }) => sum + 1 + runs.length, 0));
    });
    const rows = segmentIds.map((_, i): Row => ({ device: spreadDevice(jobId), names: [i] }));
    await load.add(batchOf(rows));
    under.commit((await load.stage({ segmentIds, everyRow: null, mode: 'merge' }, signal)).change);
  }
  expect(sent.reduce((sum, runs) => sum + runs)).toBe(segments + 2 * segments);
  expect(Math.max(...sent)).toBeLessThanOrEqual(1_001);
  expect(under.contentsOf(77)).toEqual([1, 2].map(spreadDevice).sort());
});
