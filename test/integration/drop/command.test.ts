import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createArchiveStore } from '../../../src/drop/archive-store.ts';
import { createDropClient } from '../../../src/drop/client.ts';
import { syncDrop } from '../../../src/drop/sync.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type DropServer, startDropServer } from '../../support/drop/drop-server.ts';
import { item, maid, noon } from '../../support/drop/drop-world.ts';
import {
  createSuppressionModel,
  type SuppressionModel,
} from '../../support/drop/suppression-model.ts';
import { programFile } from '../../support/program.ts';

const checkout = resolve(import.meta.dirname, '../../..');
const resources = new AsyncDisposableStack();
let app: TestApp;
let server: DropServer;
let model: SuppressionModel;
let folder: string;

/** The API, and what a worker does again and again. */
beforeAll(async () => {
  app = resources.use(await startTestApp());
  server = resources.use(await startDropServer());
  model = createSuppressionModel();
  folder = await mkdtemp(join(tmpdir(), 'tributary-drop-'));
  resources.defer(() => rm(folder, { recursive: true }));
  const stopping = new AbortController();
  const working = work(stopping.signal);
  resources.defer(async () => {
    stopping.abort();
    await working;
  });
});
afterAll(() => resources.disposeAsync());

async function work(signal: AbortSignal): Promise<void> {
  const deps = {
    records: app.records,
    store: createArchiveStore(app.objects),
    suppressions: model,
    client: createDropClient(server.url, server.apiKey),
    days: 7,
    mostBytes: 1e6,
    now: () => noon,
  };
  while (!signal.aborted) {
    await syncDrop(deps, new AbortController().signal);
    await sleep(100, undefined, { signal }).catch(() => {});
  }
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function drop(...args: string[]): Promise<Ran> {
  const env = {
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    TRIBUTARY_URL: app.url,
    TRIBUTARY_ADMIN_TOKEN: app.adminToken,
  };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [programFile('src/cli/tributary.ts'), 'drop', ...args],
      { cwd: checkout, env },
      (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe('tributary drop', () => {
  test('sync runs a session to its end, and cycles shows the evidence', async () => {
    model.load(maid(1));
    server.publish('MAID', [item(1), item(2)]);
    const synced = await drop('sync');
    expect(synced).toMatchObject({ code: 0, stderr: expect.any(String) });
    expect(synced.stdout).toContain('No cycle is open.');
    expect([...server.statuses.values()]).toEqual([3, 5]);
    expect((await drop('cycles')).stdout).toMatch(/20260312_4821_DROP\.zip +api +accepted/);
    const { stdout } = await drop('cycles', '1');
    expect(stdout).toContain('1 deleted, 1 not found');
    expect(stdout).toContain('20260312_4821_MAID.csv');
  });

  test('sync --manual writes the response beside the ZIP file', async () => {
    server.publish('MAID', [item(3)]);
    const { name, content } = server.takeArchive();
    await writeFile(join(folder, name), content);
    const synced = await drop('sync', '--manual', join(folder, name));
    expect(synced).toMatchObject({ code: 0 });
    const response = name.replace('DROP.zip', 'MAID.csv');
    expect(synced.stdout).toContain(`Written: ${join(folder, response)}`);
    expect((await readdir(folder)).sort()).toEqual([name, response].sort());
    expect(await readFile(join(folder, response), 'utf8')).toBe(`Id,Status\n${item(3).id},5\n`);
    const { stdout } = await drop('status');
    const [, cycle = ''] = /(\d+) +\S+ +manual +lifted/.exec(stdout) ?? [];
    expect((await drop('close', cycle)).stdout).toMatch(/state +accepted/);
    expect((await drop('answers', cycle, folder)).stdout.trim()).toBe(join(folder, response));
  });

  test('fails with the reason', async () => {
    const file = join(folder, 'broken.zip');
    await writeFile(file, 'not a ZIP');
    expect(await drop('sync', '--manual', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The archive is cut off, or is not a ZIP file'),
    });
    server.misbehaviour.instead = [{ status: 403 }];
    expect(await drop('sync')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('DROP refuses this data broker'),
    });
  });
});
