import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attributeCount, csvRows } from '../generate/rows.ts';
import type { BenchCase } from '../harness/bench-case.ts';
import { preparePartner } from '../harness/partner.ts';
import { pollWhile } from '../harness/polling.ts';
import { startBenchService } from '../harness/service.ts';
import { percentile } from '../harness/turns.ts';
import { makeFolder } from '../harness/world.ts';

const importsPath = '/v1/marketplace/import';
const idleMs = 10_000;
const everyMs = 50;

/** The API stays responsive while a very large import runs. */
export const quietApi: BenchCase = {
  name: 'quiet-api',
  async run({ scaled }) {
    const rows = scaled(100_000_000);
    const folder = await makeFolder();
    try {
      await using service = await startBenchService(join(folder, 'data'));
      const partner = await preparePartner(service, attributeCount);
      await partner.put('large.csv', csvRows({ rows, cell: 'one_attribute' }));
      const poll = () => pollWhile(() => partner.call('GET', importsPath), everyMs);

      const idling = poll();
      await sleep(idleMs);
      const idle = await idling.stop();

      const before = performance.now();
      const working = poll();
      const log = await partner.import({ file_path: 'large.csv', key_type: 1 });
      const loading = await working.stop();
      const seconds = (performance.now() - before) / 1_000;
      if (log.total_rows !== String(rows)) throw new Error(JSON.stringify(log));

      const limit = Math.max(25, 5 * percentile(idle, 0.95));
      const p95 = (of: readonly number[]) =>
        ({ value: percentile(of, 0.95), unit: 'ms', of: of.length }) as const;
      return {
        title: 'The API while an import of 100 million rows runs',
        findings: [
          {
            what: `p95 of GET ${importsPath}`,
            ours: p95(loading),
            peer: { name: 'idle', ...p95(idle) },
            target: { kind: 'at_most', limit, words: '25 ms, or 5 × idle' },
          },
        ],
        remarks: [
          `The service as started by npm start, with 20 requests a second, each sent on schedule without waiting for earlier responses. The import took ${seconds.toFixed(1)} s.`,
        ],
        measured: { idle, loading },
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
