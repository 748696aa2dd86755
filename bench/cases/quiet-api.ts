import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { attributeCount, attributeKey, csvRows } from '../generate/rows.ts';
import type { BenchCase } from '../harness/bench-case.ts';
import { pollWhile } from '../harness/polling.ts';
import { type BenchService, callAs, startBenchService } from '../harness/service.ts';
import { percentile } from '../harness/turns.ts';
import { makeFolder } from '../harness/world.ts';

const importsPath = '/v1/marketplace/import';
const idleMs = 10_000;
const everyMs = 50;
const attributesAtOnce = 8;

/** The API stays responsive while a very large import runs. */
export const quietApi: BenchCase = {
  name: 'quiet-api',
  async run({ scaled }) {
    const rows = scaled(100_000_000);
    const folder = await makeFolder();
    try {
      await using service = await startBenchService(join(folder, 'data'));
      const partner = await preparePartner(service, rows);
      const poll = () => pollWhile(() => partner('GET', importsPath), everyMs);

      const idling = poll();
      await sleep(idleMs);
      const idle = await idling.stop();

      const before = performance.now();
      const { import_log_id } = await partner<{ import_log_id: number }>('POST', importsPath, {
        file_path: 'large.csv',
        key_type: 1,
      });
      const working = poll();
      const log = await ended(partner, import_log_id);
      const loading = await working.stop();
      const seconds = (performance.now() - before) / 1_000;
      if (log.status !== 2 || log.total_rows !== String(rows)) throw new Error(JSON.stringify(log));

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

type PartnerCall = ReturnType<typeof callAs>;

/** Creates the attributes and the file of the sandbox partner, and returns calls as that partner. */
async function preparePartner(service: BenchService, rows: number): Promise<PartnerCall> {
  const operator = callAs(service, service.adminToken);
  const { api_key } = await operator<{ api_key: string }>(
    'POST',
    '/admin/v1/partners/1/api-keys',
    {},
  );
  const partner = callAs(service, api_key);
  const numbers = Array.from({ length: attributeCount }, (_, number) => number).values();
  const createAttributes = async () => {
    for (const number of numbers) {
      const key = attributeKey(number);
      await partner('POST', '/v1/marketplace/attribute', {
        name: `Attribute ${key}`,
        description: '',
        partner_foreign_key: key,
      });
    }
  };
  await Promise.all(Array.from({ length: attributesAtOnce }, createAttributes));
  await putObject(service, 'large.csv', csvRows({ rows, cell: 'one_attribute' }));
  return partner;
}

async function putObject(
  service: BenchService,
  name: string,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  const put = request(`${service.url}/admin/v1/partners/1/objects/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.adminToken}` },
  });
  const answered = once(put, 'response');
  await pipeline(Readable.from(content), put);
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 201)
    throw new Error(`the upload was refused with status ${response.statusCode}`);
}

async function ended(partner: PartnerCall, importLogId: number) {
  for (;;) {
    const log = await partner<{ status: number; total_rows: string }>(
      'GET',
      `${importsPath}/${importLogId}`,
    );
    if (log.status > 1) return log;
    await sleep(500);
  }
}
