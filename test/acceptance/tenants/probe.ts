import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The milliseconds of each request, by the name of its target. */
export type Times = Record<string, number[]>;

const program = new URL('./probe-program.ts', import.meta.url);

/** Requests each target again and again while the action runs, on a thread of its own. */
export async function timesDuring(
  targets: Readonly<Record<string, Target>>,
  action: () => Promise<void>,
): Promise<Times> {
  const worker = new Worker(program, { workerData: targets });
  const failed = once(worker, 'error').then(([error]) => {
    throw error;
  });
  failed.catch(() => {});
  await Promise.race([once(worker, 'online'), failed]);
  await Promise.race([action(), failed]);
  const reported = once(worker, 'message');
  worker.postMessage('stop');
  const [times] = await Promise.race([reported, failed]);
  return times as Times;
}

/** The time within which 99 of 100 requests were answered. */
export function p99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
}
