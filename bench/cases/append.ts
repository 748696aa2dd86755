import { csvRows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';
import type { Finding } from '../report/finding.ts';

const rounds = 5;

/**
 * The cost of an append depends on the appended rows, not on the existing ones. Half of the appended
 * rows repeat existing devices.
 */
export const append: BenchCase = {
  name: 'append',
  async run({ scaled, nodeOptions }) {
    const held = scaled(50_000_000);
    const many = scaled(1_000_000);
    const few = 1_000;
    await using world = await openWorld();
    await using worker = await world.startWorker(nodeOptions);

    /** Loads an audience with or without labels, then appends to it and to an empty one. */
    async function measure(cell: 'empty' | 'label') {
      const files = {
        held: { rows: held },
        many: { rows: many, from: held - many / 2 },
        few: { rows: few, from: held - few / 2 },
      };
      for (const [name, rows] of Object.entries(files)) {
        await world.put(`${cell}-${name}`, csvRows({ ...rows, cell }));
      }
      const empty = await worker.call('createAudience', undefined);
      const full = await worker.call('createAudience', undefined);
      await worker.call('loadAudience', { audience: full, name: `${cell}-held` });

      async function appendTo(audience: number, name: 'many' | 'few', devices: number) {
        const result = await worker.call('loadAudience', { audience, name: `${cell}-${name}` });
        expectSame(`devices after ${name}`, result.devices, devices);
        await worker.call('revertLoad', audience);
        return result;
      }

      const measured = await takeTurns(rounds, {
        toEmpty: { run: async () => (await appendTo(empty, 'many', many)).seconds },
        toFull: { run: async () => (await appendTo(full, 'many', held + many / 2)).seconds },
        fewToFull: {
          run: async () => (await appendTo(full, 'few', held + few / 2)).cpuSeconds * 1_000,
        },
      });
      await worker.call('empty', undefined);
      return measured;
    }

    const bare = await measure('empty');
    const labelled = await measure('label');
    const findings = Object.entries({ 'without labels': bare, 'with 7 labels': labelled }).flatMap(
      ([kind, measured]): Finding[] => [
        {
          what: `1 million rows ${kind}`,
          ours: { value: median(measured.toFull), unit: 's', of: rounds },
          peer: { name: 'to an empty one', value: median(measured.toEmpty), unit: 's', of: rounds },
          target: { kind: 'times_peer', limit: 1.6 },
        },
        {
          what: `1,000 rows ${kind}, CPU of the worker`,
          ours: { value: median(measured.fewToFull), unit: 'ms', of: rounds },
          target: { kind: 'at_most', limit: 150 },
        },
      ],
    );
    return {
      title: 'Appending to an audience of 50 million, half of the rows already present',
      findings,
      remarks: [
        'With labels the audience stores every device twice: for itself and for a label. Each append is reverted before the next.',
      ],
      measured: {
        ...bare,
        ...Object.fromEntries(
          Object.entries(labelled).map(([side, times]) => [`labelled ${side}`, times]),
        ),
      },
    };
  },
};
