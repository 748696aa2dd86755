import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AudienceLoading,
  loadAudienceFiles,
} from '../../../../src/jobs/audience/audience-files.ts';
import { createLabelRegistry } from '../../../../src/jobs/audience/label-registry.ts';
import type { ObjectVersion } from '../../../../src/objects/port.ts';
import { deviceRows } from '../../../support/devices.ts';
import { freshImports, type Imports } from '../../../support/imports.ts';

let imports: Imports;
let lastJobId = 0;

beforeAll(async () => {
  imports = await freshImports();
});
afterAll(() => imports[Symbol.asyncDispose]());

const { signal } = new AbortController();

function rows(from: number, count: number, label = ''): string {
  return deviceRows(from, from + count, label);
}

interface Loaded {
  /** For each commit: its files and their outcomes. */
  readonly commits: string[][];
  readonly devices: number;
  readonly labels: Record<string, number>;
  readonly runs: number;
}

/** Loads files, given by name and content, into a new audience. */
async function load(
  files: Record<string, string>,
  options: Partial<AudienceLoading> & { onOpen?: (key: string) => Promise<void> } = {},
): Promise<Loaded> {
  const { records, objects, warehouse, intake } = imports;
  const prefix = `audience-${++lastJobId}/`;
  const put = (name: string, content: string) => objects.put(prefix + name, bytesOf(content));
  for (const [name, content] of Object.entries(files)) await put(name, content);
  const segmentId = await records.segments.create('audience');
  const labels = createLabelRegistry([], 1_000);
  const labelSegments: number[] = [];
  const commits: string[][] = [];
  const jobId = lastJobId;
  let loads = 0;
  await loadAudienceFiles(
    {
      files: objects.find(prefix),
      stat: objects.stat,
      async *open(version: ObjectVersion) {
        await options.onOpen?.(version.key.slice(prefix.length));
        yield* objects.open(version, 0);
      },
    },
    {
      intake,
      beginLoad: () => warehouse.beginLoad({ jobId, attempt: 1, load: loads++ }),
      labels,
      rejectLimit: 0.05,
      signal,
      async commit(loaded, read) {
        while (labelSegments.length < labels.labels().length) {
          labelSegments.push(await records.segments.create('label'));
        }
        const meaning = { segmentIds: labelSegments, everyRow: segmentId, mode: 'merge' } as const;
        const { change } = await loaded.stage(meaning, signal);
        await records.inTransaction((tx) => tx.manifest.apply(change));
        commits.push(
          read.map(
            ({ version, reading }) => `${version.key.slice(prefix.length)} ${reading.outcome}`,
          ),
        );
      },
      ...options,
    },
  );
  const count = async (segment: number) =>
    (await records.manifest.runsOf([segment])).reduce((sum, { devices }) => sum + devices, 0);
  const counted = await Promise.all(labelSegments.map(count));
  return {
    commits,
    devices: await count(segmentId),
    labels: Object.fromEntries(labels.labels().map((label, n) => [label, counted[n] ?? 0])),
    runs: (await records.manifest.runsOf([segmentId])).length,
  };
}

async function* bytesOf(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

test('files that fit into memory are committed together, in order, as one run', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`${String(n).padStart(2, '0')}.csv`, rows(n * 50, 100)]),
  );
  const loaded = await load(files);
  expect(loaded.commits).toEqual([Object.keys(files).map((name) => `${name} read`)]);
  expect(loaded).toMatchObject({ devices: 19 * 50 + 100, runs: 1 });
});

test('a failed file leaves neither devices nor labels and does not affect the others', async () => {
  const loaded = await load({
    a: rows(0, 10, 'open'),
    b: `${rows(100, 10, 'never')}one-column\n`,
    c: rows(5, 10, 'buy'),
  });
  expect(loaded.commits).toEqual([['a read', 'b failed', 'c read']]);
  expect(loaded).toMatchObject({ devices: 15, labels: { open: 10, buy: 10 } });
  expect(Object.keys(loaded.labels)).toEqual(['open', 'buy']);
});

test('a file that does not fit into memory has its own commit, after the files before it', async () => {
  const loaded = await load(
    { a: rows(0, 10), b: rows(5, 5_000, 'big'), c: rows(0, 20) },
    { pendingBytes: 64 * 1024 },
  );
  expect(loaded.commits).toEqual([['a read'], ['b read'], ['c read']]);
  expect(loaded).toMatchObject({ devices: 5_005, labels: { big: 5_000 } });
});

test('a large file that fails in its last line leaves nothing', async () => {
  const loaded = await load(
    { a: rows(0, 10), b: `${rows(5, 5_000, 'big')}one-column\n`, c: rows(0, 20) },
    { pendingBytes: 64 * 1024 },
  );
  expect(loaded.commits).toEqual([['a read'], ['b failed', 'c read']]);
  expect(loaded).toMatchObject({ devices: 20, labels: {} });
});

test('a file that is replaced before it is read is loaded in its new version', async () => {
  const { objects } = imports;
  const replaced = new Set<string>();
  const loaded = await load(
    { a: rows(0, 10), b: rows(100, 10) },
    {
      async onOpen(name) {
        if (name !== 'b' || replaced.has(name)) return;
        replaced.add(name);
        await objects.put(`audience-${lastJobId}/b`, bytesOf(rows(200, 3)));
      },
    },
  );
  expect(loaded).toMatchObject({ commits: [['a read', 'b read']], devices: 13 });
});

test('without files nothing is committed', async () => {
  expect(await load({})).toEqual({ commits: [], devices: 0, labels: {}, runs: 0 });
});
