import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTrash } from '../../../../src/data-dir/trash.ts';
import { type FreshDiskStore, freshDiskStore } from '../../../support/disk-store.ts';
import type { DiskStoreProgramOptions, KeyReport } from '../../../support/disk-store-program.ts';
import { randomOf, textOfLines } from '../../../support/seeded.ts';

const rounds = process.env.TRIBUTARY_SOAK === '1' ? 100 : 5;
const program = fileURLToPath(new URL('../../../support/disk-store-program.ts', import.meta.url));
const mostReports = 30;
const applicationName = 'killed-writers';

test('after kill -9 at any moment each object is the complete old or new one', {
  timeout: rounds * 20_000,
}, async () => {
  await using store = await freshDiskStore();
  /** By key: the possible contents, `null` for no object. */
  const possible = new Map<string, (number | null)[]>();
  let acknowledged = 0;
  for (let seed = 0; seed < rounds; seed++) {
    for (const { event, key, lines } of await writeUntilKilled(store, seed)) {
      // A writer's own key has at most one pending change; the shared key may have many.
      const isShared = key === 'shared';
      if (event === 'done') acknowledged += 1;
      if (event === 'done' && !isShared) possible.set(key, [lines]);
      else possible.set(key, [...(possible.get(key) ?? [null]), lines]);
    }
    for (const [key, candidates] of possible) {
      const text = await store.textAt(key);
      const found = candidates.find((lines) => text === (lines ? textOfLines(lines) : undefined));
      expect(found, `${key} after seed ${seed} is ${text?.length} bytes`).not.toBeUndefined();
      possible.set(key, [found!]);
    }
    await store.objects.sweep(0, openTrash(store.folder, 7));
    const kept = (await store.files()).filter((file) => !file.includes('/trash/'));
    const files = kept.map((file) => file.slice(-32)).sort();
    expect(files, `blobs after seed ${seed}`).toEqual(await store.knownBlobs());
  }
  expect(acknowledged).toBeGreaterThan(rounds);
});

/** The reports of writers in a separate process that is killed soon after its start. */
async function writeUntilKilled(store: FreshDiskStore, seed: number): Promise<KeyReport[]> {
  const { url, schema } = store.database;
  const options: DiskStoreProgramOptions = {
    url: `${url}${url.includes('?') ? '&' : '?'}application_name=${applicationName}`,
    schema,
    folder: store.folder,
    seed,
  };
  // Without the test runner's flags, which this process has.
  const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
  const reports: KeyReport[] = [];
  const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  const random = randomOf(`moment ${seed}`);
  const lastReport = 1 + random(mostReports);
  child.on('message', async (report) => {
    reports.push(report as KeyReport);
    if (reports.length !== lastReport) return;
    await sleep(random(20));
    child.kill('SIGKILL');
  });
  const [[, signal]] = await ended;
  expect(signal, `how the writers of seed ${seed} ended`).toBe('SIGKILL');
  await commitsAreOver(store);
  return reports;
}

/** The database still executes the last queries of a killed process. */
async function commitsAreOver({ database }: FreshDiskStore): Promise<void> {
  for (let open = 1; open > 0; ) {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and application_name = ${applicationName}
    `.execute(database.db);
    open = rows.length;
  }
}
