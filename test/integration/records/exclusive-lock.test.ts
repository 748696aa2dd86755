import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManifestConflict } from '../../../src/domain/errors.ts';
import { openDatabase } from '../../../src/records/database/connection.ts';
import {
  lockTaken,
  runExclusively,
  tryExclusively,
} from '../../../src/records/database/exclusive-lock.ts';
import { createUniverse } from '../../../src/records/warehouse/universe.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';
import { startRelay } from '../../support/relay.ts';

const { signal } = new AbortController();
const heartbeat = { everyMs: 50, timeoutMs: 500 };
let fresh: FreshRecords;

beforeEach(async () => {
  fresh = await freshRecords();
});
afterEach(() => fresh[Symbol.asyncDispose]());

/** Adds a run of an attribute, which is not folded into the universe yet. */
async function newRun(devices: number) {
  const { records } = fresh;
  const run = { file: `run-${devices}`, firstRowGroup: 0, rowGroups: 1, devices, bytes: 16 };
  await records.runFiles.register({ file: run.file, jobId: null, attempt: null });
  const segmentId = await records.segments.create('attribute');
  await records.inTransaction((tx) =>
    tx.manifest.apply({ add: [{ ...run, segmentId }], drop: [] }),
  );
}

describe('an exclusive lock', () => {
  it('is kept for as long as its holder is alive, and leaves no timeout on the connection', async () => {
    const db = openDatabase({ ...fresh, maxConnections: 1 });
    const other = tryExclusively.bind(null, fresh.db, 'work', async () => 'done', signal);
    await tryExclusively(
      db,
      'work',
      async () => {
        await sleep(2 * heartbeat.timeoutMs);
        expect(await other()).toBe(lockTaken);
      },
      signal,
      heartbeat,
    );
    expect(await other()).toBe('done');
    const { rows } = await sql`show idle_session_timeout`.execute(db);
    expect(rows).toEqual([{ idle_session_timeout: '0' }]);
    await db.destroy();
  });

  it('passes to another process when its holder stops responding, and the old holder cannot commit', async () => {
    await using relay = await startRelay(fresh.url);
    const db = openDatabase({ ...fresh, url: relay.url, maxConnections: 3 });
    const { universe } = fresh.records;
    await newRun(7);

    async function foldWhileCutOff(held: AbortSignal) {
      const cutOff = createUniverse(db);
      const pending = await cutOff.pending();
      relay.hold();
      await universe.exclusively(async () => {
        await universe.commit(await universe.pending(), { add: [], drop: [] });
      }, signal);
      await newRun(8);
      const wasAborted = held.aborted;
      await relay.cut();
      await expect.poll(() => held.aborted).toBe(true);
      await relay.mend();
      const [commit] = await Promise.allSettled([cutOff.commit(pending, { add: [], drop: [] })]);
      return { wasAborted, reason: held.reason, commit };
    }

    // It always ends with an error, because the lost lock cannot be released.
    const folding = Promise.withResolvers<Awaited<ReturnType<typeof foldWhileCutOff>>>();
    const ended = runExclusively(
      db,
      'universe',
      (held) => foldWhileCutOff(held).then(folding.resolve, folding.reject),
      signal,
      heartbeat,
    );
    await expect(ended).rejects.toMatchObject({ code: 'unavailable' });
    expect(await folding.promise).toMatchObject({
      wasAborted: false,
      reason: { code: 'unavailable', message: 'The lock on universe was lost' },
      commit: { reason: expect.any(ManifestConflict) },
    });
    expect(await universe.state()).toMatchObject({ version: 1, backlog: 1 });
    await db.destroy();
  });
});
