import { pino } from 'pino';
import { expect, test } from 'vitest';
import { keepRunning, type RunningProcess } from './restarting-process.ts';

const log = pino({ level: 'silent' });

function fakeProcess() {
  const exit = Promise.withResolvers<void>();
  const running: RunningProcess = {
    exited: exit.promise,
    stop: async () => exit.resolve(),
  };
  return { running, exit: exit.resolve };
}

function shutdownRequest() {
  const requested = new AbortController();
  return { requested, shutdown: { requested: requested.signal, forced: requested.signal } };
}

test('a process that becomes ready after the shutdown was requested is stopped', async () => {
  const { requested, shutdown } = shutdownRequest();
  const [first, second] = [fakeProcess(), fakeProcess()];
  const restarting = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<RunningProcess>();
  let starts = 0;
  const start = async () => {
    if (starts++ === 0) return first.running;
    restarting.resolve();
    return ready.promise;
  };
  const kept = await keepRunning('role', start, shutdown, log);
  first.exit();
  await restarting.promise;
  requested.abort();
  const disposed = kept[Symbol.asyncDispose]();
  ready.resolve(second.running);
  await disposed;
  await second.running.exited;
  expect(starts).toBe(2);
});

test('a process that exits after the shutdown was requested is not restarted', async () => {
  const { requested, shutdown } = shutdownRequest();
  const first = fakeProcess();
  let starts = 0;
  const start = async () => {
    starts++;
    return first.running;
  };
  const kept = await keepRunning('role', start, shutdown, log);
  requested.abort();
  first.exit();
  // Longer than the first pause before a restart.
  await new Promise((resolve) => setTimeout(resolve, 400));
  await kept[Symbol.asyncDispose]();
  expect(starts).toBe(1);
});
