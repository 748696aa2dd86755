import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type MaintenanceTask, runMaintenance } from './maintenance.ts';

/** Runs the tasks until they have been called so often in all; gives the log. */
async function logOf(calls: number, ...runs: MaintenanceTask['run'][]) {
  const lines: string[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(line) });
  const stopping = new AbortController();
  let called = 0;
  const tasks = runs.map((run, n) => ({
    name: `task ${n}`,
    everyMs: 1,
    async run(signal: AbortSignal) {
      if (++called === calls) stopping.abort();
      return run(signal);
    },
  }));
  await runMaintenance(tasks, log, stopping.signal);
  return lines.map((line) => JSON.parse(line) as { level: number; task: string; msg: string });
}

const [debug, info, warn] = [20, 30, 40];

test('a task is done again and again, and what it did is logged', async () => {
  const log = await logOf(3, async () => ({ removed: 2, kept: 0 }));
  expect(log).toHaveLength(3);
  expect(log[0]).toMatchObject({ level: info, task: 'task 0', removed: 2, kept: 0 });
});

test('a task that found nothing to do is not worth a line', async () => {
  expect(await logOf(1, async () => ({ removed: 0 }))).toMatchObject([{ level: debug }]);
});

test('a task that fails is tried again, and holds up no other', async () => {
  const log = await logOf(
    20,
    async () => Promise.reject(new Error('the disk is away')),
    async () => ({ done: 1 }),
  );
  expect(log.filter(({ level }) => level === warn).length).toBeGreaterThan(1);
  expect(log.filter(({ level }) => level === info).length).toBeGreaterThan(1);
});

test('a task that is stopped has not failed', async () => {
  const log = await logOf(1, async (signal) => {
    signal.throwIfAborted();
    return {};
  });
  expect(log).toEqual([]);
});
