import { gzipped } from '../generate/gzip.ts';
import { csvRows, type Rows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';
import type { Finding } from '../report/finding.ts';
import type { Pace } from '../worker/audiences.ts';

const rounds = 5;
const gzipRounds = 3;
const smallFiles = 200;
const files = 8;
/** The runs of an audience and seven labels after a handful of commits. */
const fewRuns = 40;
const bytesPerSecond = 20_000_000;

/** Several files cost little more than one file of the same rows, or less. */
export const prefix: BenchCase = {
  name: 'prefix',
  async run({ scaled, nodeOptions }) {
    const rows = smallFiles * scaled(50_000);
    const slowRows = files * scaled(250_000);
    const spec = { devices: rows, cell: 'label' } satisfies Partial<Rows>;
    await using world = await openWorld();

    async function putParts(folder: string, count: number, total: number): Promise<void> {
      const perFile = total / count;
      for (let file = 0; file < count; file++) {
        const name = `${folder}/${String(file).padStart(3, '0')}`;
        const content = csvRows({ ...spec, rows: perFile, from: file * perFile });
        await world.put(name, folder === 'gzip' ? gzipped(content) : content);
      }
    }

    await world.put('whole.csv', csvRows({ ...spec, rows }));
    await world.put('whole.csv.gz', gzipped(csvRows({ ...spec, rows })));
    await putParts('small', smallFiles, rows);
    await putParts('gzip', files, rows);
    await putParts('slow', files, slowRows);
    await using worker = await world.startWorker(nodeOptions);
    const cpu = new Map<string, number[]>();
    let runs = 0;

    async function load(name: string, expected = rows, pace: Pace = {}): Promise<number> {
      const audience = await worker.call('createAudience', undefined);
      const result = await worker.call('loadAudience', { audience, name, ...pace });
      await worker.call('empty', undefined);
      expectSame('devices', result.devices, expected);
      if (name === 'small/') runs = result.runs;
      cpu.set(name, [...(cpu.get(name) ?? []), result.cpuSeconds]);
      return result.seconds;
    }

    const measured = await takeTurns(rounds, {
      whole: { run: () => load('whole.csv') },
      small: { run: () => load('small/') },
      gzipWhole: { run: () => load('whole.csv.gz'), rounds: gzipRounds },
      gzip: { run: () => load('gzip/'), rounds: gzipRounds },
      slow: { run: () => load('slow/', slowRows, { bytesPerSecond }), rounds: gzipRounds },
      slowInTurn: {
        run: () => load('slow/', slowRows, { bytesPerSecond, filesAtOnce: 1 }),
        rounds: 1,
      },
    });
    const peak = await worker.peakBytes();

    const seconds = (values: readonly number[]) =>
      ({ value: median(values), unit: 's', of: values.length }) as const;
    const findings: Finding[] = [
      {
        what: '200 files of 50,000 rows',
        ours: seconds(measured.small),
        peer: { name: 'one file', ...seconds(measured.whole) },
        target: { kind: 'times_peer', limit: 1.3 },
      },
      {
        what: '200 files, CPU of the worker',
        ours: seconds(cpu.get('small/')!),
        peer: { name: 'one file', ...seconds(cpu.get('whole.csv')!) },
      },
      {
        what: '8 gzip files of 1.25 million rows',
        ours: seconds(measured.gzip),
        peer: { name: 'one gzip file', ...seconds(measured.gzipWhole) },
        target: { kind: 'times_peer', limit: 0.8 },
      },
      {
        what: '8 gzip files, CPU of the worker',
        ours: seconds(cpu.get('gzip/')!),
        peer: { name: 'one gzip file', ...seconds(cpu.get('whole.csv.gz')!) },
      },
      {
        what: '8 files of 250,000 rows, 20 MB/s each',
        ours: seconds(measured.slow),
        peer: { name: 'one after the other', ...seconds(measured.slowInTurn) },
        target: { kind: 'times_faster', limit: 4 },
      },
      {
        what: 'runs left by the 200 files',
        ours: { value: runs, unit: 'runs', of: 1 },
        target: { kind: 'at_most', limit: fewRuns, words: 'few' },
      },
      {
        what: 'peak memory of the worker',
        ours: { value: peak / 1e6, unit: 'MB', of: 1 },
        target: { kind: 'at_most', limit: 700 },
      },
    ];
    return {
      title: 'Audience of several files compared with one file of the same rows',
      findings,
      remarks: [
        'Runs are counted for the audience and its 7 labels together; one file leaves 8.',
        'Files are read ahead in 48 MB of memory. Most of the data of the slow files fits into it; larger files gain less.',
      ],
      measured,
    };
  },
};
