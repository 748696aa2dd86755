import { parseArgs } from 'node:util';
import { append } from './cases/append.ts';
import { audience } from './cases/audience.ts';
import { hostile } from './cases/hostile.ts';
import { marketplace } from './cases/marketplace.ts';
import { neighbours } from './cases/neighbours.ts';
import { oneCore } from './cases/one-core.ts';
import { overlap } from './cases/overlap.ts';
import { prefix } from './cases/prefix.ts';
import { privacy } from './cases/privacy.ts';
import { quietApi } from './cases/quiet-api.ts';
import { reports } from './cases/reports.ts';
import { scale } from './cases/scale.ts';
import { upload } from './cases/upload.ts';
import { workers } from './cases/workers.ts';
import type { BenchCase, BenchContext } from './harness/bench-case.ts';
import { publish } from './report/publish.ts';
import { resultsFolder, saveResult } from './report/results.ts';
import { printCase } from './report/table.ts';

const cases: readonly BenchCase[] = [
  audience,
  marketplace,
  scale,
  append,
  overlap,
  reports,
  hostile,
  prefix,
  privacy,
  quietApi,
  neighbours,
  upload,
  workers,
  oneCore,
];

const usage = `npm run bench -- [case …] [--scale 0.01] [--profile] [--publish]
  cases: ${cases.map(({ name }) => name).join(', ')} (default: all)
  --scale    rehearse with this share of the rows
  --profile  write CPU profiles of our processes to bench/results
  --publish  write the table and the plot of docs/bench from the latest result of each case
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    profile: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((wanted) => !cases.some(({ name }) => name === wanted));
const share = Number(values.scale);
if (values.help || unknown.length > 0 || !(share > 0 && share <= 1)) {
  process.stderr.write(usage);
  process.exit(values.help ? 0 : 1);
}

const context: BenchContext = {
  scale: share,
  // Always even, because some cases halve it.
  scaled: (rows) => 2 * Math.ceil((rows * share) / 2),
  nodeOptions: values.profile ? ['--cpu-prof', `--cpu-prof-dir=${resultsFolder}`] : [],
};
const begun = performance.now();
for (const bench of cases) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue;
  process.stderr.write(`${bench.name}\n`);
  const before = performance.now();
  const report = await bench.run(context);
  const seconds = (performance.now() - before) / 1_000;
  printCase(report, context, seconds);
  await saveResult(bench.name, report, context, seconds);
}
process.stdout.write(`\n${((performance.now() - begun) / 60_000).toFixed(1)} minutes in total\n`);
if (values.publish) await publish(cases.map(({ name }) => name));
