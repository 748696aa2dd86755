import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  type AudienceLoading,
  loadAudienceFiles,
} from '../../../../src/jobs/audience/audience-files.ts';
import { openAudiencePart } from '../../../../src/jobs/audience/audience-part.ts';
import { createLabelRegistry } from '../../../../src/jobs/audience/label-registry.ts';
import { openAhead } from '../../../../src/jobs/worker/open-ahead.ts';
import type { ObjectVersion } from '../../../../src/objects/port.ts';
import { deviceRows } from '../../../support/devices.ts';
import { freshImports, type Imports } from '../../../support/imports.ts';
import { patience } from '../../../support/lanes.ts';

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

interface Watching {
  onOpen?(name: string): Promise<void>;
  onEnd?(name: string): void;
  onClose?(name: string): void;
  readonly signal?: AbortSignal;
}

/** Loads files, given by name and content, into a new audience. */
async function load(
  files: Record<string, string>,
  options: Partial<AudienceLoading> & Watching = {},
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
  const source = {
    nameOf: ({ key }: ObjectVersion) => key,
    async *open(version: ObjectVersion) {
      const name = version.key.slice(prefix.length);
      try {
        await options.onOpen?.(name);
        yield* objects.open(version, 0);
        options.onEnd?.(name);
      } finally {
        options.onClose?.(name);
      }
    },
  };
  const reading = { rejectLimit: 0.05, signal: options.signal ?? signal };
  const open = (version: ObjectVersion) =>
    openAudiencePart(intake, source, reading, { version, range: null, layout: null });
  await loadAudienceFiles(
    {
      opened: openAhead(objects.find(prefix), intake.filesAtOnce, open),
      open,
      stat: objects.stat,
    },
    {
      beginLoad: () => warehouse.beginLoad({ jobId, attempt: 1, load: loads++ }),
      labels,
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
    // The size of the second file says so, and the third one's does not.
    { a: rows(0, 10), b: rows(5, 5_000, 'big'), c: rows(0, 3_400), d: rows(0, 20) },
    { pendingBytes: 64 * 1024 },
  );
  expect(loaded.commits).toEqual([['a read'], ['b read'], ['c read'], ['d read']]);
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

test('rows that cannot be added fail the load, although the next files are taken meanwhile', async () => {
  const commit = vi.fn();
  const loading = load(
    { a: rows(0, 10), b: rows(100, 10) },
    {
      beginLoad() {
        const { add, ...rest } = imports.warehouse.beginLoad({ jobId: lastJobId, attempt: 1 });
        return {
          ...rest,
          async add(batch) {
            await add(batch);
            throw new Error('no space');
          },
        };
      },
      commit,
    },
  );
  await expect(loading).rejects.toThrow('no space');
  expect(commit).not.toHaveBeenCalled();
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

test('a file that is deleted before it is read fails, and the files after it are loaded', async () => {
  const { records } = imports;
  const loaded = await load(
    { a: rows(0, 10, 'open'), b: rows(100, 10), c: rows(5, 10, 'buy') },
    {
      async onOpen(name) {
        if (name === 'b') await records.objectIndex.remove([`audience-${lastJobId}/b`]);
      },
    },
  );
  expect(loaded.commits).toEqual([['a read', 'b failed', 'c read']]);
  expect(loaded).toMatchObject({ devices: 15, labels: { open: 10, buy: 10 } });
});

test('later files are read while the first is still on its way, and loaded in their order', async () => {
  const lastWasRead = Promise.withResolvers<void>();
  const loaded = await load(
    { a: rows(0, 10, 'first'), b: `${rows(0, 10, 'never')}one-column\n`, c: rows(5, 10, 'last') },
    {
      onOpen: async (name) => (name === 'a' ? lastWasRead.promise : undefined),
      onEnd: (name) => name === 'c' && lastWasRead.resolve(),
    },
  );
  expect(loaded.commits).toEqual([['a read', 'b failed', 'c read']]);
  expect(Object.keys(loaded.labels)).toEqual(['first', 'last']);
});

test('a load that is stopped closes every file that it opened', async () => {
  const stop = new AbortController();
  const { filesAtOnce } = imports.intake;
  const names = Array.from({ length: 2 * filesAtOnce }, (_, n) => String(n + 10));
  const opened: string[] = [];
  const closed: string[] = [];
  const loading = load(Object.fromEntries(names.map((name) => [name, rows(0, 10)])), {
    signal: stop.signal,
    async onOpen(name) {
      if (opened.push(name) === filesAtOnce) stop.abort(new Error('stopped'));
      // The first file comes late.
      if (name === names[0]) await new Promise((resolve) => setTimeout(resolve, 200));
    },
    onClose: (name) => closed.push(name),
  });
  await expect(loading).rejects.toThrow('stopped');
  await expect.poll(() => closed.toSorted(), patience).toEqual(opened);
  expect(opened).toEqual(names.slice(0, filesAtOnce));
  expect(imports.intake.aheadBytes()).toBe(0);
});

test('without files nothing is committed', async () => {
  expect(await load({})).toEqual({ commits: [], devices: 0, labels: {}, runs: 0 });
});
