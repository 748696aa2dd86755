import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The milliseconds of each request, by the name of its target. */
export type Times = Record<string, number[]>;

export interface Probe extends AsyncDisposable {
  /** Requests each target again and again while the action runs. */
  during(targets: Readonly<Record<string, Target>>, action: () => Promise<void>): Promise<Times>;
}

const program = fileURLToPath(new URL('./probe-program.ts', import.meta.url));

/** A client in a process of its own, which nothing else in this process can delay. */
export async function startProbe(): Promise<Probe> {
  const child = fork(program);
  const exited = once(child, 'exit');
  const failed = exited.then(() => {
    throw new Error('the probe failed');
  });
  failed.catch(() => {});
  const received = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  await received();
  return {
    async during(targets, action) {
      child.send(targets);
      await Promise.race([action(), failed]);
      const times = received();
      child.send('stop');
      return times;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

/** The time within which 99 of 100 requests were answered. */
export function p99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
}
