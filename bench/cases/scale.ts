import { csvRows } from '../generate/rows.ts';
import type { BenchCase, BenchContext } from '../harness/bench-case.ts';
import { expectSame } from '../harness/bench-case.ts';
import type { Program } from '../harness/program.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';
import type { WorkerCalls } from '../worker/worker-program.ts';

const rounds = 3;
const largeRounds = 2;

/** Ten times the rows take ten times the time and no more memory. */
export const scale: BenchCase = {
  name: 'scale',
  async run({ scaled, nodeOptions }: BenchContext) {
    const rows = { small: scaled(10_000_000), large: scaled(100_000_000) };
    await using world = await openWorld();
    for (const [name, count] of Object.entries(rows)) {
      await world.put(name, csvRows({ rows: count, cell: 'label' }));
    }
    // Each size has its own process, and thus its own memory peak.
    await using small = await world.startWorker(nodeOptions);
    await using large = await world.startWorker(nodeOptions);

    async function load(worker: Program<WorkerCalls>, name: keyof typeof rows): Promise<number> {
      const audience = await worker.call('createAudience', undefined);
      const result = await worker.call('loadAudience', { audience, name });
      await worker.call('empty', undefined);
      expectSame('devices', result.devices, rows[name]);
      return result.seconds;
    }

    const measured = await takeTurns(rounds, {
      small: { run: () => load(small, 'small') },
      large: { run: () => load(large, 'large'), rounds: largeRounds },
    });
    return {
      title: 'Audience file of 100 million rows compared with 10 million, both plain',
      findings: [
        {
          what: '100 million rows',
          ours: { value: median(measured.large), unit: 's', of: largeRounds },
          peer: { name: '10 million rows', value: median(measured.small), unit: 's', of: rounds },
          target: { kind: 'times_peer', limit: 12 },
        },
        {
          what: 'peak memory of the worker, 10 million rows',
          ours: { value: (await small.peakBytes()) / 1e6, unit: 'MB', of: rounds },
          target: { kind: 'at_most', limit: 700 },
        },
        {
          what: 'peak memory of the worker, 100 million rows',
          ours: { value: (await large.peakBytes()) / 1e6, unit: 'MB', of: largeRounds },
          target: { kind: 'at_most', limit: 700 },
        },
      ],
      remarks: [
        'The large file ran twice and the small one three times, to keep the benchmark short.',
      ],
      measured,
    };
  },
};
