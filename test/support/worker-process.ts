import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Lanes, maxLosses } from './lanes.ts';
import type { Report, WorkerProgramOptions } from './worker-program.ts';

export interface WorkerProcess extends AsyncDisposable {
  /** Its reports so far. */
  reports(): Report[];
  /** Allows a worker with `commitsOnSignal` to commit. */
  tellToCommit(): void;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** The signal that ended it, or its exit code. */
  readonly ended: Promise<string | number>;
}

const program = fileURLToPath(new URL('./worker-program.ts', import.meta.url));

/** A worker in its own process, killed when disposed, even if it is frozen. */
export function startWorkerProcess(
  { url, schema }: Lanes,
  options: Partial<WorkerProgramOptions> = {},
): WorkerProcess {
  const argument: WorkerProgramOptions = {
    url,
    schema,
    leaseSeconds: 1,
    maxLosses,
    commitsOnSignal: false,
    deadlyJob: null,
    concurrency: 1,
    suspects: null,
    ...options,
  };
  // Without the flags of the test runner.
  const child = fork(program, [JSON.stringify(argument)], { execArgv: [] });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  const reports: Report[] = [];
  child.on('message', (report) => reports.push(report as Report));
  return {
    reports: () => [...reports],
    tellToCommit: () => child.send('commit'),
    signal: (name) => child.kill(name),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
