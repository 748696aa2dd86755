import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Lanes, maxLosses } from './lanes.ts';
import type { Report, WorkerProgramOptions } from './worker-program.ts';

export interface WorkerProcess extends AsyncDisposable {
  /** What it has reported so far. */
  reports(): Report[];
  /** Lets a worker that commits when told go on to commit. */
  tellToCommit(): void;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** The signal that ended it, or its exit code. */
  readonly ended: Promise<string | number>;
}

const program = fileURLToPath(new URL('./worker-program.ts', import.meta.url));

/** A worker in a process of its own, gone when disposed of, even if it was frozen. */
export function startWorkerProcess(
  { url, schema }: Lanes,
  options: Partial<WorkerProgramOptions> = {},
): WorkerProcess {
  const argument: WorkerProgramOptions = {
    url,
    schema,
    leaseSeconds: 1,
    maxLosses,
    commitsWhenTold: false,
    deadlyJob: null,
    ...options,
  };
  // Without the flags of the test runner, which this process has.
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
