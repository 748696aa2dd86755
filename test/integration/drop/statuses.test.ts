import { describe, expect, test } from 'vitest';
import { ObjectLost } from '../../../src/drop/archive-store.ts';
import { createDropClient } from '../../../src/drop/client.ts';
import { syncDrop } from '../../../src/drop/sync.ts';
import {
  type DropWorld,
  item,
  maid,
  noon,
  shareDisk,
  startDropWorld,
} from '../../support/drop/drop-world.ts';

shareDisk();

/** DROP is called again after that many seconds, of which some may have passed on a busy machine. */
async function expectWait({ records }: DropWorld, seconds: number): Promise<void> {
  const { callAt } = (await records.dropSchedule.read())!;
  const left = (callAt.getTime() - Date.now()) / 1000;
  expect(left).toBeLessThanOrEqual(seconds);
  expect(left).toBeGreaterThan(seconds - 15);
}

async function problemOf({ records }: DropWorld): Promise<string | null | undefined> {
  return (await records.dropSchedule.read())?.problem;
}

/** A response is ready to be sent. */
async function readyToSend(): Promise<DropWorld> {
  const world = await startDropWorld();
  world.model.isQuick = false;
  world.server.publish('MAID', [item(1), item(2)]);
  await world.sync();
  world.model.isQuick = true;
  const hold = [{ status: 429, headers: { 'retry-after': '1' } }];
  world.server.misbehaviour.instead = hold;
  await world.sync();
  expect((await world.cycles())[0]?.state).toBe('lifted');
  await world.forward();
  return world;
}

const day = 24 * 60 * 60;

describe('a download', () => {
  test('is repeated after the time that 202 gives, for hours if need be', async () => {
    await using world = await startDropWorld();
    const { server } = world;
    server.misbehaviour.preparing = 12;
    server.publish('MAID', [item(1)]);
    await world.sync();
    await expectWait(world, 60);
    await world.sync();
    expect(server.calls).toEqual(['GET /data/download 202']);
    await world.settle();
    expect(server.statuses.get(item(1).id)).toBe(5);
    const calls = await world.records.dropFiles.latestCalls(10);
    expect(calls.map(({ operation, calls, status }) => [operation, calls, status])).toEqual([
      ['upload', 1, 202],
      ['download', 1, 200],
      ['download', 12, 202],
    ]);
  });

  test('that brings nothing is an access, and the next one is due after the interval', async () => {
    await using world = await startDropWorld();
    await world.settle();
    expect(world.server.calls).toEqual(['GET /data/download 200']);
    const schedule = (await world.records.dropSchedule.read())!;
    expect(schedule.accessedAt).not.toBeNull();
    const days = (schedule.sessionAt.getTime() - Date.now()) / (day * 1000);
    expect(Math.abs(days - 7)).toBeLessThan(0.1);
    expect(await world.cycles()).toEqual([]);
  });

  test.each([
    [429, { 'retry-after': '17' }, 17],
    [429, {}, 30],
    [503, { 'retry-after': '120' }, 120],
    [404, {}, day],
    [302, { location: 'http://127.0.0.1:1/' }, day],
  ])('with status %i %j is repeated after %i seconds', async (status, headers, seconds) => {
    await using world = await startDropWorld();
    world.server.misbehaviour.instead = [{ status, headers: headers as Record<string, string> }];
    await world.sync();
    await expectWait(world, seconds);
    expect(await problemOf(world)).toContain(`status ${status}`);
    await world.settle();
    expect(await problemOf(world)).toBeNull();
  });

  test('waits longer after each failure', async () => {
    await using world = await startDropWorld();
    world.server.misbehaviour.instead = Array.from({ length: 9 }, () => ({ status: 500 }));
    for (const seconds of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      await world.forward();
      await world.sync();
      await expectWait(world, seconds);
    }
  });

  test('says what to do about a wrong key, whatever the body is, and shows no key', async () => {
    await using world = await startDropWorld();
    world.server.misbehaviour.bareText = true;
    await world.sync({ client: createDropClient(world.server.url, 'another-key-123456') });
    expect(await problemOf(world)).toContain('Issue a new one in the portal');
    expect(await problemOf(world)).toContain('401: Unauthorized');
    world.server.misbehaviour.instead = [{ status: 403, body: `no, ${world.server.apiKey}!` }];
    await world.forward();
    await world.sync();
    expect(await problemOf(world)).toContain('no, [redacted]!');
  });

  test('that is cut off is repeated, and nothing of it is kept', async () => {
    await using world = await startDropWorld();
    const { server } = world;
    server.misbehaviour.redelivers = true;
    server.misbehaviour.cutAfter = [50, 0];
    server.publish('MAID', [item(1)]);
    await world.sync();
    expect(await problemOf(world)).toContain('cut off');
    expect((await world.cycles()).map(({ state }) => state)).toEqual(['downloading']);
    expect(await world.disk.objects.list('drop/', '', 10)).toEqual([]);
    await world.settle();
    expect((await world.cycles()).map(({ state }) => state)).toEqual(['accepted']);
    expect(server.statuses.get(item(1).id)).toBe(5);
  });

  test('that is cut off and not delivered again needs the operator', async () => {
    await using world = await startDropWorld();
    const { server } = world;
    server.misbehaviour.cutAfter = [50];
    server.publish('MAID', [item(1)]);
    await world.sync();
    await world.forward();
    await world.sync();
    expect(await problemOf(world)).toContain('tributary drop sync --manual');
    await expectWait(world, day);
  });

  test('that is lost with the process needs the operator', async () => {
    await using world = await startDropWorld();
    world.server.publish('MAID', [item(1)]);
    const client = {
      ...world.deps.client!,
      async download(signal: AbortSignal): Promise<never> {
        await world.deps.client!.download(signal);
        throw new Error('the process dies');
      },
    };
    await expect(world.sync({ client })).rejects.toThrow('the process dies');
    await world.forward();
    await world.sync();
    expect(await problemOf(world)).toContain('tributary drop sync --manual');
  });

  test('that is cut off is not forgotten if DROP has nothing more to deliver', async () => {
    await using world = await startDropWorld();
    const { server } = world;
    server.misbehaviour.cutAfter = [50];
    // Such an archive needs no answer, so DROP does not wait for one.
    server.withdraw('MAID', [item(1)]);
    await world.settle();
    expect(await world.cycles()).toMatchObject([
      { state: 'refused', problem: expect.stringContaining('20260312_4821_DROP.zip was cut off') },
    ]);
    expect((await world.records.dropSchedule.standing()).hasProblem).toBe(true);
  });

  test('waits if it is not known whether the archive is stored', async () => {
    await using world = await startDropWorld();
    const { server, deps } = world;
    server.misbehaviour.cutAfter = [50];
    server.withdraw('MAID', [item(1)]);
    await world.sync();
    const measure = () => Promise.reject(new Error('the storage is down'));
    const { length } = server.calls;
    await world.forward();
    const down = world.sync({ store: { ...deps.store, measure } });
    await expect(down).rejects.toThrow('the storage is down');
    expect(server.calls).toHaveLength(length);
  });

  test('that is slow is not given up, not even by a shutdown', async () => {
    await using world = await startDropWorld();
    world.server.misbehaviour.slowMs = 30;
    world.server.publish('MAID', [item(1)]);
    const stopping = new AbortController();
    const client = world.deps.client!;
    const download: typeof client.download = async (signal) => {
      const answer = await client.download(signal);
      stopping.abort();
      return answer;
    };
    await syncDrop({ ...world.deps, client: { ...client, download } }, stopping.signal);
    expect(await world.cycles()).toMatchObject([{ state: 'downloaded' }]);
    await world.settle();
    expect(world.server.statuses.get(item(1).id)).toBe(5);
  });

  test('that cannot connect has not arrived', async () => {
    await using world = await startDropWorld();
    const client = createDropClient('http://127.0.0.1:2', 'key');
    await world.sync({ client });
    expect(await problemOf(world)).toContain('DROP is unreachable: connect ECONNREFUSED');
    expect(await world.cycles()).toEqual([]);
  });

  test('is not begun during maintenance unless the operator asks for it', async () => {
    await using world = await startDropWorld();
    const { records, server } = world;
    // 02:30 in California.
    const now = () => new Date('2026-03-12T09:30:00Z');
    await world.sync({ now });
    expect(server.calls).toEqual([]);
    await records.dropSchedule.request();
    server.misbehaviour.instead = [{ status: 500 }];
    await world.sync({ now });
    // Until it ends.
    await expectWait(world, 1_800);
    await world.forward();
    await world.sync({ now: () => noon });
    expect(server.calls).toEqual(['GET /data/download 500', 'GET /data/download 200']);
  });

  test('does not happen without a key', async () => {
    await using world = await startDropWorld();
    await world.sync({ client: null });
    expect(await world.records.dropSchedule.read()).toBeUndefined();
    await world.records.dropSchedule.request();
    await world.sync({ client: null });
    expect(await world.records.dropSchedule.read()).toMatchObject({
      isRequested: false,
      isAutomatic: false,
    });
    expect(world.server.calls).toEqual([]);
    expect(await world.records.dropSchedule.standing()).toEqual({
      accessedAt: null,
      oldestOpenAt: null,
      hasProblem: false,
    });
    // Another worker has one.
    await world.sync();
    await world.records.dropSchedule.request();
    await world.sync({ client: null });
    expect(await world.records.dropSchedule.read()).toMatchObject({
      isRequested: true,
      isAutomatic: true,
    });
  });
});

describe('an upload', () => {
  test('whose answer is lost counts as accepted when its name is refused', async () => {
    await using world = await readyToSend();
    const { server } = world;
    server.misbehaviour.losesAnswers = 1;
    await world.settle({ mostBytes: 10_000_000 });
    expect(server.accepted).toHaveLength(1);
    expect((await world.cycles())[0]?.state).toBe('accepted');
    const [file] = await world.records.dropFiles.ofCycle((await world.cycles())[0]!.cycleId);
    expect(file).toMatchObject({ state: 'accepted', status: 409 });
    expect(file?.answer).toContain('Accepted before');
  });

  test('of several files counts as accepted for the one that is refused by its name', async () => {
    await using world = await startDropWorld();
    const { server } = world;
    server.publish('MAID', [item(1), item(2)]);
    server.misbehaviour.losesAnswers = 1;
    await world.settle({ mostBytes: 25 });
    expect(server.accepted.map(({ name }) => name)).toEqual([
      '20260312_4821_MAID_r1.csv',
      '20260312_4821_MAID_r2.csv',
    ]);
    const files = await world.records.dropFiles.ofCycle((await world.cycles())[0]!.cycleId);
    expect(files.map(({ state, status }) => [state, status])).toEqual([
      ['accepted', 400],
      ['accepted', 202],
    ]);
  });

  test('that cannot connect has not arrived', async () => {
    await using world = await readyToSend();
    const client = createDropClient('http://no-such-host.invalid', 'key');
    await world.sync({ client });
    const [cycle] = await world.cycles();
    const [file] = await world.records.dropFiles.ofCycle(cycle!.cycleId);
    expect(file).toMatchObject({ state: 'ready', mayHaveArrived: false });
  });

  test('that is rejected waits for the operator, and is sent again on request', async () => {
    await using world = await readyToSend();
    const { server, records } = world;
    server.misbehaviour.rejects = { name: /MAID/, message: 'The file is too large.' };
    await world.sync();
    const [cycle] = await world.cycles();
    expect(cycle).toMatchObject({
      state: 'lifted',
      problem: 'DROP rejected 20260312_4821_MAID.csv: The file is too large.',
    });
    const before = server.calls.length;
    await world.forward();
    await world.sync();
    expect(server.calls.length).toBe(before);
    server.misbehaviour.rejects = null;
    await records.dropFiles.retryRejected();
    await records.dropSchedule.request();
    await world.settle();
    expect((await world.cycles())[0]).toMatchObject({ state: 'accepted', problem: null });
  });

  test('whose name somebody else has used is not taken for accepted', async () => {
    await using world = await readyToSend();
    world.server.misbehaviour.rejects = { name: /MAID/, message: 'was already uploaded' };
    await world.sync();
    expect((await world.cycles())[0]).toMatchObject({ state: 'lifted' });
    expect(await problemOf(world)).toContain('was already uploaded');
  });

  test('that DROP does not wait for needs the operator', async () => {
    await using world = await readyToSend();
    world.server.misbehaviour.instead = [{ status: 409, body: '{"message":"No download."}' }];
    await world.sync();
    const [cycle] = await world.cycles();
    expect(cycle?.state).toBe('lifted');
    expect(cycle?.problem).toContain(`tributary drop close ${cycle?.cycleId}`);
  });

  test.each([
    [429, 30],
    [500, 60],
    [413, day],
  ])('with status %i is repeated after %i seconds', async (status, seconds) => {
    await using world = await readyToSend();
    world.server.misbehaviour.instead = [{ status }];
    await world.sync();
    await expectWait(world, seconds);
    await world.settle();
    expect(world.server.accepted).toHaveLength(1);
  });
});

describe('an amendment', () => {
  test('whose answer is lost counts as accepted when its name is refused', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    server.publish('MAID', [item(1)]);
    await world.settle();
    model.restore(maid(1));
    server.misbehaviour.losesAnswers = 1;
    await world.nextSession();
    expect(server.calls.filter((call) => call.includes('amend'))).toHaveLength(2);
    expect(server.accepted.map(({ operation }) => operation)).toEqual(['upload', 'amend']);
    expect(await world.records.dropFiles.openAmendments('api')).toEqual([]);
    expect(server.violations).toEqual([]);
  });

  test('whose object is lost waits for the operator, and the next download goes on', async () => {
    await using world = await startDropWorld();
    const { server, model, records } = world;
    server.publish('MAID', [item(1)]);
    await world.settle();
    model.restore(maid(1));
    server.publish('MAID', [item(2)]);
    await world.nextSession({ store: { ...world.deps.store, read: withoutAmendments } });
    expect(server.statuses.get(item(2).id)).toBe(5);
    const { cycleId, problem } = (await world.cycles()).at(-1)!;
    expect(problem).toMatch(/_a1x1.csv cannot be sent: The object drop.*1.csv is missing/);
    expect((await records.dropFiles.ofCycle(cycleId)).at(-1)?.state).toBe('rejected');
    // It is there again.
    await records.dropFiles.retryRejected();
    await world.nextSession();
    expect(server.statuses.get(item(1).id)).toBe(3);

    async function withoutAmendments(key: string): Promise<Buffer> {
      if (/amendment.*csv/.test(key)) throw new ObjectLost(`The object ${key} is missing`);
      return world.deps.store.read(key);
    }
  });

  test('that is rejected does not stop the next download', async () => {
    await using world = await startDropWorld();
    const { server, model } = world;
    server.publish('MAID', [item(1)]);
    await world.settle();
    model.restore(maid(1));
    server.misbehaviour.rejects = { name: /_a1x1/, message: 'The file is not a CSV.' };
    server.publish('MAID', [item(2)]);
    await world.nextSession();
    expect([...server.statuses]).toEqual([
      [item(1).id, 5],
      [item(2).id, 5],
    ]);
    expect((await world.cycles()).at(-1)?.problem).toContain('was rejected by DROP');
  });
});
