import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type MaintenanceTask, runMaintenance } from './maintenance.ts';

/** Runs the tasks until they were called `calls` times in total, and returns the log. */
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

test('a task runs repeatedly and its counts are logged', async () => {
  const log = await logOf(3, async () => ({ removed: 2, kept: 0 }));
  expect(log).toHaveLength(3);
  expect(log[0]).toMatchObject({ level: info, task: 'task 0', removed: 2, kept: 0 });
});

test('a task that had nothing to do is logged at debug level', async () => {
  expect(await logOf(1, async () => ({ removed: 0 }))).toMatchObject([{ level: debug }]);
});

test('a task that fails is retried and does not delay the others', async () => {
  const log = await logOf(
    20,
    async () => Promise.reject(new Error('disk unavailable')),
    async () => ({ done: 1 }),
  );
  expect(log.filter(({ level }) => level === warn).length).toBeGreaterThan(1);
  expect(log.filter(({ level }) => level === info).length).toBeGreaterThan(1);
});

test('a stopped task is not logged as failed', async () => {
  const log = await logOf(1, async (signal) => {
    signal.throwIfAborted();
    return {};
  });
  expect(log).toEqual([]);
});
