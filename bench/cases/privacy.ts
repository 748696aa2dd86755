import { setTimeout as sleep } from 'node:timers/promises';
import { csvRows, many } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';

const rounds = 5;
/** Files that another worker loads, one after the other, before and during the removal. */
const smallFiles = 100;
const loadsBefore = 10;
const pauseMs = 1_000;
/** The number of the first device that is in no other file. */
const newDevices = 500_000_000;

/** What a list of suppressed devices costs loads, and how long their removal takes. */
export const privacy: BenchCase = {
  name: 'privacy',
  async run({ scaled, nodeOptions }) {
    const sizes = {
      loaded: scaled(10_000_000),
      digests: scaled(5_000_000),
      stored: scaled(4_000_000),
      removed: scaled(1_000_000),
      small: scaled(20_000),
    };
    await using world = await openWorld();
    await world.createAttributes();
    await world.put('new.csv', csvRows({ rows: sizes.loaded, cell: 'one_attribute' }));
    await world.put('stored.csv', csvRows({ rows: sizes.stored, cell: 'many_attributes' }));
    for (let n = 0; n < smallFiles; n++) {
      const from = newDevices + n * sizes.small;
      await world.put(smallName(n), csvRows({ rows: sizes.small, from, cell: 'one_attribute' }));
    }
    await using worker = await world.startWorker(nodeOptions);
    await using lane = await world.startWorker(nodeOptions);

    async function load(digests: number): Promise<number> {
      if (digests > 0) await worker.call('suppressDigests', digests);
      const { devices, cpuSeconds } = await worker.call('importFile', 'new.csv');
      expectSame('devices', devices, sizes.loaded);
      await worker.call('empty', undefined);
      return cpuSeconds;
    }

    const measured = await takeTurns(rounds, {
      without: { run: () => load(0) },
      withList: { run: () => load(sizes.digests) },
    });

    await worker.call('importFile', 'stored.csv');
    await worker.call('foldUniverse', undefined);
    await worker.call('suppressDevices', sizes.removed);
    let loads = 0;
    async function loadSmall(): Promise<number> {
      const { seconds } = await lane.call('importFile', smallName(loads++ % smallFiles));
      return seconds;
    }
    const before: number[] = [];
    while (before.length < loadsBefore) before.push(await loadSmall());
    let isRemoved = false;
    const removing = worker.call('applySuppressions', undefined).finally(() => {
      isRemoved = true;
    });
    const during: number[] = [];
    while (!isRemoved) {
      during.push(await loadSmall());
      await sleep(pauseMs);
    }
    const removal = await removing;
    // Those of the attributes, and of the universe.
    expectSame('removed', removal.memberships, sizes.removed * (many.perRow + 1));
    const again = await worker.call('applySuppressions', undefined);
    expectSame('left', again.memberships, 0);
    const peak = await worker.peakBytes();
    return {
      title: 'Suppressed devices',
      findings: [
        {
          what: 'CPU of a load of 10 million new devices, with 5 million digests',
          ours: { value: median(measured.withList), unit: 's', of: rounds },
          peer: { name: 'no list', value: median(measured.without), unit: 's', of: rounds },
          target: { kind: 'times_peer', limit: 1.6 },
        },
        {
          what: 'removal of 1 million devices from 100 million memberships',
          ours: { value: removal.seconds, unit: 's', of: 1 },
        },
        {
          what: 'CPU of that removal',
          ours: { value: removal.cpuSeconds, unit: 's', of: 1 },
        },
        {
          what: 'peak memory of the worker',
          ours: { value: peak / 1e6, unit: 'MB', of: 1 },
        },
        {
          what: 'slowest load of 20,000 devices during that removal, by another worker',
          ours: { value: Math.max(...during), unit: 's', of: during.length },
          peer: {
            name: 'slowest before it',
            value: Math.max(...before),
            unit: 's',
            of: loadsBefore,
          },
        },
      ],
      remarks: [
        'Each loaded device has one of 1,000 attributes. None of the digests matches, so every device is hashed and looked up. The table of the digests is made in each load.',
        'Each of the 4 million stored devices has 25 of 200 attributes. A quarter of them is removed, so every run is rewritten.',
      ],
      measured: { ...measured, before, during },
    };
  },
};

function smallName(n: number): string {
  return `small-${n}.csv`;
}
