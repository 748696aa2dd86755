import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target, Times } from './probe.ts';

/** A client of its own, whose network has no failures. */
const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.2' });
const pauseMs = 5;

/** The milliseconds until the whole response arrived. */
function timed({ url, headers }: Target): Promise<number> {
  const before = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - before);
        else reject(new Error(`${url} was answered ${answer.statusCode}`));
      });
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function probe(target: Target, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    times.push(await timed(target));
    await sleep(pauseMs);
  }
  return times;
}

let stopping = new AbortController();
process.on('message', async (message: Record<string, Target> | 'stop') => {
  if (message === 'stop') return stopping.abort();
  stopping = new AbortController();
  const { signal } = stopping;
  const measured = Object.entries(message).map(
    async ([name, target]) => [name, await probe(target, signal)] as const,
  );
  process.send!(Object.fromEntries(await Promise.all(measured)) satisfies Times);
});
process.on('disconnect', () => process.exit());
process.send!('ready');
