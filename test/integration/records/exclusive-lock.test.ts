import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManifestConflict } from '../../../src/domain/errors.ts';
import { openDatabase } from '../../../src/records/database/connection.ts';
import { lockTaken, tryExclusively, runExclusively } from '../../../src/records/database/exclusive-lock.ts';
import { createUniverse } from '../../../src/records/warehouse/universe.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';
import { startRelay } from '../../support/relay.ts';

const { signal } = new AbortController();
const pulse = { everyMs: 50, silenceMs: 500 };
let fresh: FreshRecords;

beforeEach(async () => {
  fresh = await freshRecords();
});
afterEach(() => fresh[Symbol.asyncDispose]());

/** A run of an attribute, which the universe has yet to take up. */
async function newRun(devices: number) {
  const { records } = fresh;
  const run = { file: `run-${devices}`, firstRowGroup: 0, rowGroups: 1, devices, bytes: 16 };
  await records.runFiles.register({ file: run.file, jobId: null, attempt: null });
  const segmentId = await records.segments.create('attribute');
  await records.inTransaction((tx) =>
    tx.manifest.apply({ add: [{ ...run, segmentId }], drop: [] }),
  );
}

describe('what only one process at a time may do', () => {
  it('is kept by whoever lives, however long it takes, and leaves no limit on the connection', async () => {
    const db = openDatabase({ ...fresh, maxConnections: 1 });
    const other = tryExclusively.bind(null, fresh.db, 'work', async () => 'done', signal);
    await tryExclusively(
      db,
      'work',
      async () => {
        await sleep(2 * pulse.silenceMs);
        expect(await other()).toBe(lockTaken);
      },
      signal,
      pulse,
    );
    expect(await other()).toBe('done');
    const { rows } = await sql`show idle_session_timeout`.execute(db);
    expect(rows).toEqual([{ idle_session_timeout: '0' }]);
    await db.destroy();
  });

  it('goes to another when its holder falls silent, who is told when it is back and commits nothing', async () => {
    await using relay = await startRelay(fresh.url);
    const db = openDatabase({ ...fresh, url: relay.url, maxConnections: 3 });
    const { universe } = fresh.records;
    await newRun(7);

    async function foldSilently(held: AbortSignal) {
      const silent = createUniverse(db);
      const pending = await silent.pending();
      relay.hold();
      await universe.exclusively(async () => {
        await universe.commit(await universe.pending(), { add: [], drop: [] });
      }, signal);
      await newRun(8);
      const knewIt = held.aborted;
      await relay.cut();
      await expect.poll(() => held.aborted).toBe(true);
      await relay.mend();
      const [commit] = await Promise.allSettled([silent.commit(pending, { add: [], drop: [] })]);
      return { knewIt, reason: held.reason, commit };
    }

    // It ends with an error in any case, for its lock cannot be let go of.
    const folding = Promise.withResolvers<Awaited<ReturnType<typeof foldSilently>>>();
    const ended = runExclusively(
      db,
      'universe',
      (held) => foldSilently(held).then(folding.resolve, folding.reject),
      signal,
      pulse,
    );
    await expect(ended).rejects.toMatchObject({ code: 'unavailable' });
    expect(await folding.promise).toMatchObject({
      knewIt: false,
      reason: { code: 'unavailable', message: 'The lock on universe was lost' },
      commit: { reason: expect.any(ManifestConflict) },
    });
    expect(await universe.state()).toMatchObject({ version: 1, backlog: 1 });
    await db.destroy();
  });
});
