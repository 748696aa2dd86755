import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  item,
  maid,
  shareDisk,
  startDropWorld,
  watchReports,
} from '../../support/drop/drop-world.ts';
import { hashOfMaid } from '../../support/drop/hash-of-maid.ts';
import { digestTextOf } from '../../support/drop/suppression-model.ts';
import { zip } from '../../support/drop/zip-writer.ts';

shareDisk();

const items = (...numbers: number[]) => numbers.map((n) => ({ ...item(n), maid: maid(n) }));

describe('a cycle of DROP', () => {
  test('deletes what matches, reports each item once, and stays suppressed', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    for (const n of [1, 2, 9]) model.load(maid(n));
    server.publish('MAID', items(1, 2, 3));
    watchReports(world, items(1, 2, 3));
    await world.settle();
    expect([...server.statuses]).toEqual([
      [item(1).id, 3],
      [item(2).id, 3],
      [item(3).id, 5],
    ]);
    expect(server.accepted).toEqual([
      {
        operation: 'upload',
        name: '20260312_4821_MAID.csv',
        text: `Id,Status\n${item(1).id},3\n${item(2).id},3\n${item(3).id},5\n`,
      },
    ]);
    expect([...model.stored.values()]).toEqual([maid(9)]);
    expect([...model.suppressed].sort()).toEqual(
      [1, 2, 3].map((n) => digestTextOf(maid(n))).sort(),
    );
    expect(server.violations).toEqual([]);
    const [cycle] = await world.cycles();
    expect(cycle).toMatchObject({
      kind: 'api',
      state: 'accepted',
      archiveName: '20260312_4821_DROP.zip',
      itemRows: 3,
      problem: null,
    });
    const times = [
      cycle!.startedAt,
      cycle!.downloadedAt!,
      cycle!.suppressedAt!,
      cycle!.matchedAt!,
      cycle!.removedAt!,
      cycle!.deletedAt!,
      cycle!.answeredAt!,
      cycle!.liftedAt!,
      cycle!.endedAt!,
    ].map(Number);
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  test('waits for matching and for deletion before it answers', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    model.isQuick = false;
    model.load(maid(1));
    server.publish('MAID', items(1, 2));
    watchReports(world, items(1, 2));
    const stateAfterRuns = async () => {
      for (let run = 0; run < 3; run += 1) {
        await world.forward();
        await world.sync();
      }
      return (await world.cycles())[0]!.state;
    };
    expect(await stateAfterRuns()).toBe('suppressed');
    model.match();
    expect(await stateAfterRuns()).toBe('matched');
    expect(server.accepted).toEqual([]);
    model.remove();
    expect(await stateAfterRuns()).toBe('removed');
    expect(server.accepted).toEqual([]);
    model.erase();
    expect(await stateAfterRuns()).toBe('accepted');
    expect(server.violations).toEqual([]);
    expect([...server.statuses.values()]).toEqual([3, 5]);
  });

  test('splits a long response, and sends each file', async () => {
    await using world = await startDropWorld();
    world.server.publish('MAID', items(1, 2, 3, 4, 5));
    await world.settle({ mostBytes: 40 });
    expect(world.server.accepted.map(({ name }) => name)).toEqual([
      '20260312_4821_MAID_r1.csv',
      '20260312_4821_MAID_r2.csv',
      '20260312_4821_MAID_r3.csv',
    ]);
    expect([...world.server.statuses.keys()]).toEqual([1, 2, 3, 4, 5].map((n) => item(n).id));
    expect(world.server.isOpen()).toBe(false);
  });

  test('answers repeated rows once, and keeps rows apart that cannot be read', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    model.load(maid(2));
    server.publish('MAID', items(1, 2));
    server.misbehaviour.archive = zip([
      {
        name: '20260312_4821_MAID.csv',
        content: [
          'ID,Hash',
          `${item(1).id},${item(1).hash}`,
          `${item(1).id},${item(1).hash}`,
          `${item(2).id},${item(3).hash}`,
          `${item(2).id},${item(2).hash}`,
          'Item00000007,not-a-hash',
          `,${item(4).hash}`,
          'only one cell',
        ].join('\r\n'),
      },
    ]);
    await world.settle();
    // One of the hashes of the second item matched.
    expect([...server.statuses]).toEqual([
      [item(1).id, 5],
      [item(2).id, 3],
    ]);
    expect(server.violations).toEqual([]);
    expect((await world.cycles())[0]).toMatchObject({
      itemRows: 4,
      repeatedRows: 2,
      malformedRows: 3,
    });
  });

  test('amends an item once if any of its hashes is found later', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    server.publish('MAID', items(1));
    const hashes = [2, 3, 4].map((n) => `${item(1).id},${item(n).hash}\n`);
    const name = '20260312_4821_MAID.csv';
    server.misbehaviour.archive = zip([{ name, content: `ID,Hash\n${hashes.join('')}` }]);
    await world.settle();
    expect(server.statuses.get(item(1).id)).toBe(5);
    for (const n of [3, 4]) model.restore(maid(n));
    await world.nextSession();
    model.restore(maid(2));
    await world.nextSession();
    expect(server.accepted.slice(1).map(({ text }) => text)).toEqual([
      `Id,Status\n${item(1).id},3\n`,
    ]);
    expect(server.violations).toEqual([]);
  });

  test('answers ids of any form as they are', async () => {
    await using world = await startDropWorld();
    const ids = ['680', 'a', 'Abc_-/+=.~', "it's#1"];
    world.server.publish(
      'MAID',
      ids.map((id, n) => ({ id, hash: item(n).hash })),
    );
    await world.settle();
    expect([...world.server.statuses]).toEqual(ids.map((id) => [id, 5]));
    expect(world.server.violations).toEqual([]);
  });

  test('refuses other lists by name, and answers its own', async () => {
    await using world = await startDropWorld(['MAID', 'Email', 'Phone']);
    const { server } = world;
    server.publish('MAID', items(1));
    server.publish('Email', items(2));
    await expect(world.settle()).resolves.toBeUndefined();
    const [cycle] = await world.cycles();
    expect(cycle?.lists.map(({ list, isRefused, rows }) => [list, isRefused, rows])).toEqual([
      ['MAID', false, 1],
      ['Email', true, 1],
      ['Phone', true, 0],
    ]);
    expect([...server.statuses.keys()]).toEqual([item(1).id]);
    // DROP still waits for the answer to the other list.
    await sql`update drop_schedule set session_at = now(), call_at = now()`.execute(
      world.disk.database.db,
    );
    await world.sync();
    expect((await world.records.dropSchedule.read())?.problem).toContain(
      'Answer the other lists in the portal',
    );
  });

  test('ends without an answer if no list has rows', async () => {
    await using world = await startDropWorld();
    world.server.withdraw('MAID', items(1));
    await world.settle();
    expect((await world.cycles())[0]).toMatchObject({ state: 'accepted', removedRows: 1 });
    expect(world.server.calls).toEqual(['GET /data/download 200']);
  });

  test('is refused if its archive cannot be read, and DROP is asked again a day later', async () => {
    await using world = await startDropWorld();
    const { server } = world;
    server.misbehaviour.redelivers = true;
    server.misbehaviour.cutsSilently = true;
    server.misbehaviour.cutAfter = [100];
    server.publish('MAID', items(1));
    await world.settle();
    const [refused] = await world.cycles();
    expect(refused).toMatchObject({ state: 'refused', archiveBytes: 100 });
    expect(refused?.problem).toContain('cut off');
    const schedule = (await world.records.dropSchedule.read())!;
    const hours = (schedule.sessionAt.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(25);
    expect((await world.records.dropSchedule.standing()).hasProblem).toBe(true);
    await world.nextSession();
    expect((await world.cycles()).map(({ state }) => state)).toEqual(['accepted', 'refused']);
    expect(server.statuses.get(item(1).id)).toBe(5);
  });

  test('is refused if the form of its hashes has changed', async () => {
    await using world = await startDropWorld();
    world.server.publish('MAID', [
      { id: item(1).id, hash: Buffer.from(hashOfMaid(maid(1)), 'base64').toString('hex') },
    ]);
    await world.settle();
    expect((await world.cycles())[0]).toMatchObject({
      state: 'refused',
      problem: 'No row of 20260312_4821_MAID.csv has an id and a hash as DROP describes them',
    });
    expect(world.server.accepted).toEqual([]);
  });
});

describe('a step that fails', () => {
  test('is repeated later, and shows its problem until then', async () => {
    await using world = await startDropWorld();
    const { records, server, model } = world;
    server.publish('MAID', items(1));
    await world.sync();
    let tries = 0;
    const suppressions = {
      ...model,
      async suppress(): Promise<number> {
        tries += 1;
        throw new Error('the warehouse is down');
      },
    };
    await expect(world.sync({ suppressions })).rejects.toThrow('the warehouse is down');
    await world.sync({ suppressions });
    expect(tries).toBe(1);
    expect((await world.cycles())[0]).toMatchObject({
      state: 'downloaded',
      problem: 'the warehouse is down',
    });
    expect((await records.dropSchedule.standing()).hasProblem).toBe(true);
    await sql`update drop_cycle set retry_at = now()`.execute(world.disk.database.db);
    await world.settle();
    expect((await world.cycles())[0]).toMatchObject({ state: 'accepted', problem: null });
  });
});

describe('an archive that is lost', () => {
  test('is named, and the next cycle goes on without it', async () => {
    await using world = await startDropWorld();
    const { server, model, disk } = world;
    server.publish('MAID', items(1, 2));
    await world.settle();
    const [lost] = await world.cycles();
    const key = `${lost!.folder}archive.zip`;
    await disk.objects.removeAll(key, new AbortController().signal);
    model.restore(maid(1));
    server.publish('MAID', items(3));
    server.withdraw('MAID', items(2));
    const problems: string[] = [];
    await world.nextSession({ onProblem: (problem) => problems.push(problem) });
    expect(server.statuses.get(item(3).id)).toBe(5);
    // Perhaps another item of the lost archive asks for the same device.
    expect(model.suppressed).toContain(digestTextOf(maid(2)));
    expect(problems).toEqual([
      `Cycle 1 cannot be amended. The object ${key} is missing. Restore it from a backup`,
      `The suppressions that cycle 2 withdraws were not lifted. The object ${key} is missing. Restore it from a backup`,
    ]);
    expect(await world.cycles()).toMatchObject([
      { state: 'accepted', removedRows: 1, liftedRows: 0 },
      { state: 'accepted', problem: problems[0] },
    ]);
  });
});

describe('withdrawn items', () => {
  test('are lifted, unless the operator or another item asks for the same device', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    server.publish('MAID', [...items(1, 2, 3), item(4, maid(3))]);
    model.suppressByOperator(maid(2));
    await world.settle();
    server.withdraw('MAID', items(1, 2, 3));
    server.withdraw('Email', items(9));
    await world.nextSession();
    expect(model.suppressed).toEqual(new Set([2, 3].map((n) => digestTextOf(maid(n)))));
    expect((await world.cycles())[0]).toMatchObject({ removedRows: 4, liftedRows: 2 });
    // The last item that asked for the third device.
    server.withdraw('MAID', [item(4, maid(3))]);
    await world.nextSession();
    expect(model.suppressed).toEqual(new Set([digestTextOf(maid(2))]));
    expect(model.load(maid(1))).toBe(true);
    expect(server.violations).toEqual([]);
  });
});

describe('an item that was not found', () => {
  test('is amended at the next session if its device came later, and once only', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    server.publish('MAID', items(1, 2, 3));
    await world.settle();
    expect([...server.statuses.values()]).toEqual([5, 5, 5]);
    expect(model.load(maid(2))).toBe(false);
    model.restore(maid(2));
    await world.nextSession();
    await world.nextSession();
    model.restore(maid(3));
    await world.nextSession();
    expect(server.accepted.slice(1)).toEqual([
      {
        operation: 'amend',
        name: '20260312_4821_MAID_a1x1.csv',
        text: `Id,Status\n${item(2).id},3\n`,
      },
      {
        operation: 'amend',
        name: '20260312_4821_MAID_a2x1.csv',
        text: `Id,Status\n${item(3).id},3\n`,
      },
    ]);
    expect(server.violations).toEqual([]);
  });

  test('waits if DROP takes no amendment, and is sent after the next response', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    server.publish('MAID', items(1));
    await world.settle();
    model.restore(maid(1));
    server.misbehaviour.refusesAmendments = true;
    await world.nextSession();
    expect(server.statuses.get(item(1).id)).toBe(5);
    server.publish('MAID', items(2));
    await sql`update drop_schedule set session_at = now()`.execute(world.disk.database.db);
    await world.sync();
    server.misbehaviour.refusesAmendments = false;
    await world.settle();
    expect(server.accepted.map(({ operation, name }) => [operation, name])).toEqual([
      ['upload', '20260312_4821_MAID.csv'],
      ['upload', '20260313_4821_MAID.csv'],
      ['amend', '20260312_4821_MAID_a1x1.csv'],
    ]);
    expect(server.statuses.get(item(1).id)).toBe(3);
  });
});
