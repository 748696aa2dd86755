import { hostileShapes, type Shape } from '../generate/devices.ts';
import { csvRows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { median } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';
import type { Finding } from '../report/finding.ts';

const rounds = 3;
const shapes: readonly Shape[] = ['uniform', ...hostileShapes];

const steps = ['load', 'append', 'overlap'] as const;
type Step = (typeof steps)[number];

const inWords: Readonly<Record<Shape, string>> = {
  uniform: 'uniform IDs',
  shared_prefix: 'IDs that share their first 60 bits',
  ascending: 'IDs in ascending order',
  descending: 'IDs in descending order',
  equal: 'IDs all equal',
};

/** Real IDs are uniform. These are not, as in an attack. */
export const hostile: BenchCase = {
  name: 'hostile',
  async run({ scaled, nodeOptions }) {
    const rows = scaled(10_000_000);
    await using world = await openWorld();
    for (const shape of shapes) {
      const spec = { rows, shape, devices: 2 * rows, cell: 'label' } as const;
      await world.put(`${shape}-loaded`, csvRows(spec));
      await world.put(`${shape}-appended`, csvRows({ ...spec, from: rows / 2 }));
    }
    await using worker = await world.startWorker(nodeOptions);

    async function loadOverlapAppend(shape: Shape): Promise<Record<Step, number>> {
      const audience = await worker.call('createAudience', undefined);
      const load = await worker.call('loadAudience', { audience, name: `${shape}-loaded` });
      const overlap = await worker.call('overlapWithLabels', audience);
      const append = await worker.call('loadAudience', { audience, name: `${shape}-appended` });
      await worker.call('empty', undefined);
      const isOne = shape === 'equal';
      expectSame('loaded', load.devices, isOne ? 1 : rows);
      expectSame('overlap', overlap.labels, load.labels);
      expectSame('appended', append.devices, isOne ? 1 : rows + rows / 2);
      return { load: load.seconds, append: append.seconds, overlap: overlap.seconds };
    }

    const measured: Record<string, number[]> = {};
    const timesOf = (step: Step, shape: Shape) => {
      measured[`${step} ${shape}`] ??= [];
      return measured[`${step} ${shape}`]!;
    };
    for (let round = 1; round <= rounds; round++) {
      for (const shape of shapes) {
        const times = await loadOverlapAppend(shape);
        for (const step of steps) timesOf(step, shape).push(times[step]);
        process.stderr.write(`  round ${round}: ${shape} ${JSON.stringify(times)}\n`);
      }
    }
    const seconds = (step: Step, shape: Shape) =>
      ({ value: median(timesOf(step, shape)), unit: 's', of: rounds }) as const;
    const findings = steps.flatMap((step) =>
      hostileShapes.map(
        (shape): Finding => ({
          what: `${step}, ${inWords[shape]}`,
          ours: seconds(step, shape),
          peer: { name: inWords.uniform, ...seconds(step, 'uniform') },
          target: { kind: 'times_peer', limit: 2 },
        }),
      ),
    );
    return {
      title: 'Hostile IDs: 10 million compared with 10 million uniform ones',
      findings,
      remarks: [
        'Load: a plain audience file with 7 labels. Append: another file of the same size, half of it already present. Overlap: the audience with its 7 labels, which together contain all of it. Three rounds each.',
      ],
      measured,
    };
  },
};
