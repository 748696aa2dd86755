import type { BenchContext, CaseReport } from '../harness/bench-case.ts';
import { type Finding, quantityInWords, ratioInWords, targetInWords, usedOf } from './finding.ts';

export const columns = ['', 'ours', 'peer', 'ratio', 'target', ''] as const;

/** A finding as the cells of a table's row. `isJudged` is false for a rehearsal. */
export function cellsOf(finding: Finding, isJudged: boolean): string[] {
  const { what, ours, peer, target } = finding;
  const verdict = !target ? '' : !isJudged ? 'not judged' : usedOf(finding) <= 1 ? 'met' : 'MISSED';
  return [
    what,
    quantityInWords(ours),
    peer ? `${peer.name} ${quantityInWords(peer)}` : '',
    ratioInWords(finding),
    targetInWords(finding),
    verdict,
  ];
}

export function printCase(
  { title, findings }: CaseReport,
  { scale }: BenchContext,
  seconds: number,
): void {
  const isJudged = scale === 1;
  const rows = [[...columns], ...findings.map((finding) => cellsOf(finding, isJudged))];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const heading = isJudged ? title : `${title}, rehearsal with ${scale} of the rows`;
  process.stdout.write(`\n${heading} (${seconds.toFixed(0)} s)\n`);
  for (const row of rows) {
    const line = row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
    process.stdout.write(`  ${line.trimEnd()}\n`);
  }
}
