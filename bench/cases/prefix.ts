import { csvRows, type Rows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';

const rounds = 5;
const files = 200;
/** The runs of an audience and seven labels after a handful of commits. */
const fewRuns = 40;

/** Many small files cost little more than one large file. */
export const prefix: BenchCase = {
  name: 'prefix',
  async run({ scaled, nodeOptions }) {
    const perFile = scaled(50_000);
    const rows = files * perFile;
    const spec = { devices: rows, cell: 'label' } satisfies Partial<Rows>;
    await using world = await openWorld();
    await world.put('whole.csv', csvRows({ ...spec, rows }));
    for (let file = 0; file < files; file++) {
      const name = `parts/${String(file).padStart(3, '0')}.csv`;
      await world.put(name, csvRows({ ...spec, rows: perFile, from: file * perFile }));
    }
    await using worker = await world.startWorker(nodeOptions);
    let runs = 0;

    async function load(name: string): Promise<number> {
      const audience = await worker.call('createAudience', undefined);
      const result = await worker.call('loadAudience', { audience, name });
      await worker.call('empty', undefined);
      expectSame('devices', result.devices, rows);
      runs = result.runs;
      return result.seconds;
    }

    const measured = await takeTurns(rounds, {
      whole: { run: () => load('whole.csv') },
      parts: { run: () => load('parts/') },
    });
    return {
      title: 'Audience of 200 files of 50,000 rows compared with one file of the same rows',
      findings: [
        {
          what: '200 files',
          ours: { value: median(measured.parts), unit: 's', of: rounds },
          peer: { name: 'one file', value: median(measured.whole), unit: 's', of: rounds },
          target: { kind: 'times_peer', limit: 2 },
        },
        {
          what: 'runs left by the 200 files',
          ours: { value: runs, unit: 'runs', of: 1 },
          target: { kind: 'at_most', limit: fewRuns, words: 'few' },
        },
      ],
      remarks: ['Runs are counted for the audience and its 7 labels together; one file leaves 8.'],
      measured,
    };
  },
};
