import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Target, Times } from './probe.ts';

/** A client of its own, whose network has no failures. */
const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.2' });
const pauseMs = 15;

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

async function probe(target: Target, times: number[]): Promise<void> {
  while (!isStopped) {
    times.push(await timed(target));
    await sleep(pauseMs);
  }
}

let isStopped = false;
parentPort!.once('message', () => {
  isStopped = true;
});
const targets = workerData as Record<string, Target>;
const times: Times = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
await Promise.all(Object.entries(targets).map(([name, target]) => probe(target, times[name]!)));
agent.destroy();
parentPort!.postMessage(times);
