import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { plot } from './plot.ts';
import { readResult, type SavedResult } from './results.ts';
import { cellsOf, columns } from './table.ts';

const docsFolder = resolve(import.meta.dirname, '../../docs/bench');

/** Writes the plot and the table for the documentation. */
export async function publish(caseNames: readonly string[]): Promise<void> {
  const results: SavedResult[] = [];
  for (const name of caseNames) {
    const result = await readResult(name);
    if (result) results.push(result);
    else process.stderr.write(`${name} has no result at full scale and is omitted\n`);
  }
  await mkdir(docsFolder, { recursive: true });
  await writeFile(join(docsFolder, 'bench.svg'), plot(results));
  await writeFile(join(docsFolder, 'README.md'), page(results));
}

function page(results: readonly SavedResult[]): string {
  const [first] = results;
  if (!first) throw new Error('no results to publish: run npm run bench first');
  const { architecture, cores, cpu, memoryBytes, node } = first.machine;
  const minutes = results.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const days = [...new Set(results.map(({ measuredAt }) => measuredAt.slice(0, 10)))].sort();
  return `# Measurements

Written by \`npm run bench -- --publish\`: ${minutes.toFixed(0)} minutes on ${cores} ${architecture} cores (${cpu}, ${Math.round(memoryBytes / 2 ** 30)} GiB, Node ${node.slice(1)}), ${days.join(' and ')}.
Each side runs in its own process, and the sides alternate. A figure is the median of the rounds in brackets; a memory peak is the highest of
them (VmHWM). [What limits them](limits.md) has the profiles of the measurements that miss their target.
[Earlier measurements](arm64.md) of other cases are from arm64.

![Bars of the measurements below](bench.svg)
${results.map(section).join('')}`;
}

function section({ title, findings, remarks }: SavedResult): string {
  const rows = findings.map((finding) => {
    const [what, ours, peer, ...rest] = cellsOf(finding, true);
    const rounds = (of: number | undefined) => (of === undefined ? '' : ` (${of})`);
    return [
      what,
      `${ours}${rounds(finding.ours.of)}`,
      `${peer}${rounds(finding.peer?.of)}`,
      ...rest,
    ];
  });
  const lines = [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return `
## ${title}

${lines.join('\n')}
${remarks.map((remark) => `\n${remark}\n`).join('')}`;
}
