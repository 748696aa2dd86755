import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { DropProgramOptions } from '../../support/drop/drop-program.ts';
import {
  type DropWorld,
  item,
  maid,
  shareDisk,
  startDropWorld,
  watchReports,
} from '../../support/drop/drop-world.ts';
import { Killed, mortal } from '../../support/drop/mortal.ts';
import { serveSuppressions } from '../../support/drop/remote-suppressions.ts';

shareDisk();

const all = Array.from({ length: 6 }, (_, n) => ({ ...item(n), maid: maid(n) }));
const isSoak = process.env.TRIBUTARY_SOAK === '1';
/** Many steps on a busy machine. */
const timeoutMs = isSoak ? 3_600_000 : 120_000;
/** Two rows for each file. */
const mostBytes = 42;

/**
 * Two cycles: deletions, items that are not found, a split response, a device that comes later, and items
 * that are withdrawn.
 */
async function twoSessions(world: DropWorld, runSession: () => Promise<void>): Promise<void> {
  const { server, model } = world;
  server.misbehaviour.redelivers = true;
  watchReports(world, all);
  for (const n of [0, 3, 4]) model.load(maid(n));
  server.publish('MAID', all.slice(0, 4));
  await runSession();
  expect(model.load(maid(1))).toBe(false);
  model.restore(maid(1));
  server.publish('MAID', all.slice(4));
  server.withdraw('MAID', all.slice(2, 3));
  await sql`update drop_schedule set session_at = now()`.execute(world.disk.database.db);
  await runSession();
}

describe('a process that dies', () => {
  test(
    'again and again resumes with the same report and the same state',
    async () => {
      await using undisturbed = await startDropWorld();
      const effects: string[] = [];
      const immortal = mortal(undisturbed.deps, (effect) => effects.push(effect));
      await twoSessions(undisturbed, () => undisturbed.settle({ ...immortal, mostBytes }));
      const expected = await undisturbed.outcome();
      expect(undisturbed.server.violations).toEqual([]);
      expect([...undisturbed.server.statuses.values()]).toEqual([3, 3, 5, 3, 3, 5]);

      // After the first effect of each name in each session.
      const deaths = new Set<string>();
      await using world = await startDropWorld();
      let session = 0;
      await twoSessions(world, async () => {
        session += 1;
        await runLives(world, (effect) => {
          const death = `${session} ${effect}`;
          if (deaths.has(death)) return;
          deaths.add(death);
          throw new Killed();
        });
      });
      expect(await world.outcome()).toEqual(expected);
      const died = new Set([...deaths].map((death) => death.slice(2)));
      expect(effects.filter((effect) => !died.has(effect))).toEqual([]);
      for (const effect of [
        'put',
        'suppress',
        'recordStep matched removed',
        'lift',
        'send upload',
      ]) {
        expect(effects).toContain(effect);
      }
      for (const effect of ['addAmendment', 'release', 'send amend'])
        expect(effects).toContain(effect);
      if (isSoak) await dieOnceAfterEach(effects, expected);
    },
    timeoutMs,
  );

  test(
    'of SIGKILL leaves what a resume needs',
    async () => {
      await using world = await startDropWorld();
      const { model, server } = world;
      server.misbehaviour.redelivers = true;
      watchReports(world, all);
      model.load(maid(0));
      server.publish('MAID', all.slice(0, 4));
      server.withdraw('MAID', [item(9)]);
      for (const effect of isSoak ? ['put', 'suppress', 'send upload'] : ['put', 'send upload']) {
        await runUntilKilled(world, effect);
        await locksAreFree(world);
      }
      await world.settle({ mostBytes });
      expect([...server.statuses.values()]).toEqual([3, 5, 5, 5]);
      expect(server.accepted.map(({ name }) => name)).toEqual([
        '20260312_4821_MAID_r1.csv',
        '20260312_4821_MAID_r2.csv',
      ]);
      expect(server.violations).toEqual([]);
      expect((await world.cycles()).map(({ state }) => state)).toEqual(['accepted']);
    },
    timeoutMs,
  );
});

/** Runs one process after the other, until one lives to the end. */
async function runLives(world: DropWorld, after: (effect: string) => void): Promise<void> {
  for (;;) {
    try {
      return await world.settle({ ...mortal(world.deps, after), mostBytes });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}

/** The long run: one death in each world, after each effect in turn. */
async function dieOnceAfterEach(effects: readonly string[], expected: unknown): Promise<void> {
  for (const [last, effect] of effects.entries()) {
    await using world = await startDropWorld();
    let count = 0;
    await twoSessions(world, () =>
      runLives(world, () => {
        if (count++ === last) throw new Killed();
      }),
    );
    expect(count).toBeGreaterThan(last);
    expect(await world.outcome(), `died after ${effect} (${last})`).toEqual(expected);
  }
}

const program = fileURLToPath(new URL('../../support/drop/drop-program.ts', import.meta.url));

/** Runs the task in another process, which kills itself after the effect. */
async function runUntilKilled({ disk, server, model }: DropWorld, effect: string): Promise<void> {
  const { url, schema } = disk.database;
  const options: DropProgramOptions = {
    url,
    schema,
    folder: disk.folder,
    dropUrl: server.url,
    apiKey: server.apiKey,
    mostBytes,
    effect,
  };
  // Without the test runner's flags, which this process has.
  const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
  serveSuppressions(child, model);
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

/** The server ends the session of a killed process when it notices. */
async function locksAreFree({ disk }: DropWorld): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await sql`
        select from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where locktype = 'advisory' and datname = current_database()
      `.execute(disk.database.db);
      return rows.length;
    })
    .toBe(0);
}
