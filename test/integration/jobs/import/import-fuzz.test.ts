import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyFile } from '../../../../src/intake/testing/awkward-files.ts';
import { type PlainReading, readNaively } from '../../../../src/intake/testing/naive-reader.ts';
import { apiOf } from '../../../acceptance/api.ts';
import {
  type ServiceProcesses,
  startServiceProcesses,
} from '../../../support/service-processes.ts';

/**
 * Imports ordinary and awkward files through the whole service. The naive reader predicts each
 * outcome, and a model predicts the attributes' contents.
 */

const files = process.env.TRIBUTARY_SOAK === '1' ? 1_000 : 40;
const rejectLimit = 0.75;
/** The keys of the generated files that are valid foreign keys. */
const keys = ['7', '07', 'seven', 'a "b"', '"', 'x,y', 'Zürich 😀', '1234', '12345678', 'end'];
const segments = new Map(keys.map((key, index) => [key, index]));

let service: ServiceProcesses;
let api: ReturnType<typeof apiOf>;
let partnerId: number;
let apiKey: string;
/** The devices of each attribute, in the order of the keys. */
let held: ReadonlySet<string>[] = keys.map(() => new Set());
beforeAll(async () => {
  service = await startServiceProcesses(1, { TRIBUTARY_REJECT_LIMIT: String(rejectLimit) });
  api = apiOf({ url: service.apiUrl });
  ({ partner_id: partnerId, apiKey } = await api.createPartner(service.adminToken, 'acme'));
  for (const key of keys)
    await api.createAttribute(apiKey, { name: 'n', partner_foreign_key: key });
});
afterAll(() => service?.[Symbol.asyncDispose]());

const packings = {
  plain: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gzipSync(bytes),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
  'truncated gzip': (bytes: Buffer) => gzipSync(bytes).subarray(0, -1),
  'truncated zstd': (bytes: Buffer) => zstdCompressSync(bytes).subarray(0, -1),
} as const;
type Packing = keyof typeof packings;

const imports = fc.record({
  content: anyFile('marketplace'),
  packing: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<Packing>('plain', 'gzip', 'zstd') },
    { weight: 1, arbitrary: fc.constantFrom<Packing>('truncated gzip', 'truncated zstd') },
  ),
  compressed: fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.boolean() },
  ),
  mode: fc.constantFrom('merge' as const, 'merge' as const, 'replace' as const),
});

test(`${files} generated files: no job hangs, and a failed import changes nothing`, async () => {
  let done = 0;
  const property = fc.asyncProperty(imports, async ({ content, packing, compressed, mode }) => {
    const bytes = packings[packing](content);
    await api.putObject(service.adminToken, partnerId, 'file', Uint8Array.from(bytes));
    const more = { mode, ...(compressed === undefined ? {} : { compressed }) };
    const { import_log_id } = await api.queueImport(apiKey, 'file', 1, more);
    const log = await api.ended(apiKey, import_log_id, 90_000);

    const reading = readNaively(content, { kind: 'marketplace', segments, mode }, rejectLimit);
    const succeeds = reading.outcome === 'read' && matchesOption(packing, compressed);
    expect({ status: log.status, errors: log.errors }).toMatchObject({ status: succeeds ? 2 : 3 });
    if (succeeds) {
      held = after(held, reading, mode);
      const devices = new Set(reading.rows.map(([device]) => device));
      expect(log.unique_devices).toBe(String(devices.size));
      expect(log.total_rows).toBe(String(reading.totalRows));
      done++;
    }
    const attributes = await api.attributes(apiKey);
    expect(attributes.map((attribute) => attribute.unique_devices)).toEqual(
      held.map((devices) => devices.size),
    );
  });
  // No shrinking, because each import depends on those before it.
  await fc.assert(property, { numRuns: files, endOnFailure: true });
  expect(done).toBeGreaterThan(files / 10);
  expect(await service.openJobs()).toBe(0);
  const faults = service.logged().flatMap((text) => text.match(/.*"level":"error".*/g) ?? []);
  expect(faults).toEqual([]);
}, 600_000);

function matchesOption(packing: Packing, compressed: boolean | undefined): boolean {
  switch (packing) {
    case 'plain':
      return compressed !== true;
    case 'gzip':
      return compressed !== false;
    case 'zstd':
      return compressed === undefined;
    default:
      return false;
  }
}

/** The attributes' devices after an import: removals are applied before additions. */
function after(
  before: readonly ReadonlySet<string>[],
  { rows }: PlainReading,
  mode: 'merge' | 'replace',
): Set<string>[] {
  const named = new Set(rows.flatMap(([, , numbers]) => numbers));
  const state = before.map((devices, number) =>
    mode === 'replace' && named.has(number) ? new Set<string>() : new Set(devices),
  );
  for (const [device, sign, numbers] of rows) {
    if (sign === '+') continue;
    const from = numbers.length > 0 ? numbers.map((number) => state[number]) : state;
    for (const devices of from) devices?.delete(device);
  }
  for (const [device, sign, numbers] of rows) {
    if (sign === '+') for (const number of numbers) state[number]?.add(device);
  }
  return state;
}
