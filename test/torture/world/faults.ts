import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultyProxy } from '../../support/faulty-proxy.ts';
import type { Clock } from './clock.ts';
import type { KeptProcess } from './kept-process.ts';
import { type Find, freeze, send } from './signals.ts';
import type { Fault } from './world.ts';

/** Longer than a lease. */
export const longFreezeMs = 8_000;
export const shortFreezeMs = 3_000;
export const outageMs = 4_000;
const hour = 3_600;

export function kill(name: string, ...victims: readonly Find[]): Fault {
  return {
    name: `kill ${name}`,
    async inject() {
      await Promise.all(victims.map((victim) => send(name, victim, 'SIGKILL')));
    },
  };
}

export function freezing(name: string, find: Find, ms: number): Fault {
  return { name: `freeze ${name}`, inject: () => freeze(name, find, ms) };
}

export function stopping(name: string, kept: KeptProcess, signalTo: 'process' | 'group'): Fault {
  return {
    name: `stop ${name} (SIGTERM to the ${signalTo})`,
    inject: () => kept.restart(signalTo),
  };
}

export function bucketFaults(name: string, bucket: FaultyProxy): Fault[] {
  return [
    {
      name: `break ${name}`,
      async inject() {
        bucket.answerAll(503);
        await sleep(outageMs);
        bucket.answerAll(null);
      },
    },
    {
      name: `cut responses of ${name}`,
      async inject(random) {
        for (let i = 0; i < 4; i++) {
          bucket.faults.push({ kind: 'cut', at: random(200_000) }, null);
        }
        await sleep(outageMs);
        bucket.faults.splice(0);
      },
    },
  ];
}

export function clockFaults(clock: Clock): Fault[] {
  const fault = (name: string, seconds: number): Fault => ({
    name: `set the clock ${name}`,
    setsClock: true,
    async inject() {
      await clock.set(seconds);
      await sleep(outageMs);
      await clock.set(0);
    },
  });
  return [fault('back an hour', -hour), fault('forward an hour', hour)];
}
