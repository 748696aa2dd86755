import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { attributeCount, csvRows } from '../generate/rows.ts';
import type { BenchCase } from '../harness/bench-case.ts';
import { addPartner, type BenchPartner } from '../harness/partner.ts';
import { startBenchService } from '../harness/service.ts';
import { percentile } from '../harness/turns.ts';
import { makeFolder } from '../harness/world.ts';

const largePartners = 8;
const smallRows = 10;
const idleLoads = 20;

/** Partners do not wait for each other: small imports while others load large files. */
export const neighbours: BenchCase = {
  name: 'neighbours',
  async run({ scaled }) {
    const rows = scaled(4_000_000);
    const folder = await makeFolder();
    try {
      await using service = await startBenchService(join(folder, 'data'), {
        TRIBUTARY_RATE_LIMIT: '1000000',
      });
      const small = await addPartner(service, attributeCount);
      await small.put('small.csv', csvRows({ rows: smallRows, cell: 'one_attribute' }));
      // The first imports compile what the others measure.
      for (let load = 0; load < idleLoads; load++) await millisecondsOf(small, 'small.csv');
      const idle: number[] = [];
      while (idle.length < idleLoads) idle.push(await millisecondsOf(small, 'small.csv'));

      const large: BenchPartner[] = [];
      while (large.length < largePartners) {
        const partner = await addPartner(service, attributeCount);
        await partner.put('large.csv', csvRows({ rows, cell: 'one_attribute' }));
        large.push(partner);
      }
      let isLoading = true;
      const loads = Promise.all(large.map((partner) => millisecondsOf(partner, 'large.csv')));
      const loaded = loads.finally(() => {
        isLoading = false;
      });
      const beside: number[] = [];
      while (isLoading) beside.push(await millisecondsOf(small, 'small.csv'));
      const largeMs = await loaded;

      const p95 = (of: readonly number[]) =>
        ({ value: percentile(of, 0.95), unit: 'ms', of: of.length }) as const;
      return {
        title: `Imports of ${smallRows} rows while ${largePartners} partners load ${rows.toLocaleString('en')} rows each`,
        findings: [
          {
            what: 'p95 of an import, from the request to its end',
            ours: p95(beside),
            peer: { name: 'idle', ...p95(idle) },
            target: { kind: 'at_most', limit: 1_000 },
          },
          {
            what: 'the first of the large imports',
            ours: { value: Math.min(...largeMs) / 1_000, unit: 's', of: 1 },
            peer: { name: 'the last', value: Math.max(...largeMs) / 1_000, unit: 's', of: 1 },
          },
        ],
        remarks: [
          'The service as started by npm start. The small imports follow each other, and a look at the log every 20 ms finds their end.',
        ],
        measured: { idle, beside, large: largeMs },
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function millisecondsOf(partner: BenchPartner, file: string): Promise<number> {
  const before = performance.now();
  await partner.import({ file_path: file, key_type: 1 });
  return performance.now() - before;
}
