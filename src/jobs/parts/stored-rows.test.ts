import { expect, test } from 'vitest';
import type { ObjectStore } from '../../objects/port.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import { attemptOf, storeRows } from './stored-rows.ts';

test('a store that fails while it gets a block ends the reading', async () => {
  const objects: Pick<ObjectStore, 'put'> = {
    async put(_, content) {
      for await (const __ of content as AsyncIterable<Uint8Array>) throw new Error('disk full');
      throw new Error('no block');
    },
  };
  const endless: Parameters<typeof storeRows>[2]['read'] = async ({ onBatch }) => {
    for (;;) await onBatch({ words: new Uint32Array(1 << 16), rows: 1, release() {} } as never);
  };
  const part = { read: endless } as Parameters<typeof storeRows>[2];
  const stored = storeRows(objects, { jobId: 1, attempt: 1 } as Claim, part);
  await expect(stored).rejects.toThrow('the store has stopped');
});

test('only keys of stored rows have an attempt', () => {
  expect(attemptOf('parts/12-3/a1b2')).toEqual({ jobId: 12, attempt: 3 });
  for (const key of ['parts/readme.txt', 'parts/12-3', 'parts/a-1/b', 'parts/12-3x/b']) {
    expect(attemptOf(key)).toBeUndefined();
  }
});
