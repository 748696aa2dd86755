import { type Finding, quantityInWords, ratioInWords, targetInWords, usedOf } from './finding.ts';
import type { SavedResult } from './results.ts';
import { bar, svg, text, verticalLine } from './svg.ts';

const width = 900;
const left = 330;
const rowHeight = 22;
const barHeight = 13;
const room = { seconds: 480, targets: 270 };
const figureAt = left + room.targets + 15;
const targetAt = figureAt + 110;

/** Longer bars are cut off here. */
const mostUsed = 1.2;

interface Drawn {
  readonly shapes: readonly string[];
  /** Where the next part begins. */
  readonly end: number;
}

/** Seconds compared with peers, and below that the share of each target that was used. */
export function plot(results: readonly SavedResult[]): string {
  const seconds = drawSeconds(results, 20);
  const targets = drawTargets(results, seconds.end + 30);
  const shapes = [...seconds.shapes, ...targets.shapes];
  return svg(width, targets.end + 10, 'Results of npm run bench', shapes);
}

function drawSeconds(results: readonly SavedResult[], top: number): Drawn {
  const shapes = [text(0, top, 'Seconds, compared with peers', { of: 'title' })];
  let y = top + 30;
  for (const { title, bars } of results.flatMap(({ comparisons = [] }) => comparisons)) {
    shapes.push(text(0, y, title, { of: 'head' }));
    const longest = Math.max(...bars.map((side) => side.seconds));
    for (const { name, seconds, isOurs } of bars) {
      const length = (seconds / longest) * room.seconds;
      shapes.push(
        text(left - 10, y, name, { anchor: 'end', of: isOurs ? 'head' : '' }),
        bar(left, y, length, barHeight, isOurs ? 'ours' : 'peer'),
        text(left + length + 8, y, quantityInWords({ value: seconds, unit: 's', of: 1 })),
      );
      y += rowHeight;
    }
    y += rowHeight / 2;
  }
  return { shapes, end: y };
}

function drawTargets(results: readonly SavedResult[], top: number): Drawn {
  const limitAt = left + room.targets / mostUsed;
  const shapes = [
    text(0, top, 'Share of each target used', { of: 'title' }),
    text(limitAt, top, 'the target', { of: 'note', anchor: 'middle' }),
  ];
  const begin = top + rowHeight * 1.4;
  const rows: string[] = [];
  let y = begin;
  for (const { name, findings } of results) {
    const judged = findings.filter(({ target }) => target);
    if (judged.length === 0) continue;
    rows.push(text(0, y, name, { of: 'head' }));
    y += rowHeight;
    for (const finding of judged) {
      rows.push(...targetRow(finding, y));
      y += rowHeight;
    }
  }
  const end = y - rowHeight / 2;
  const quarters = [0.25, 0.5, 0.75].map((share) =>
    verticalLine(left + share * (limitAt - left), begin, end, 'grid'),
  );
  const limit = verticalLine(limitAt, begin - rowHeight / 2, end, 'line');
  return { shapes: [...shapes, ...quarters, ...rows, limit], end: y };
}

function targetRow(finding: Finding, y: number): string[] {
  const used = usedOf(finding);
  const isMet = used <= 1;
  const isRatio = finding.target?.kind !== 'at_most';
  const figure = isRatio ? ratioInWords(finding) : quantityInWords(finding.ours);
  const length = (Math.min(used, mostUsed) / mostUsed) * room.targets;
  const target = targetInWords(finding);
  return [
    text(12, y, finding.what),
    bar(left, y, length, barHeight, isMet ? 'ours' : 'missed'),
    text(figureAt, y, figure, { of: 'head' }),
    text(targetAt, y, isMet ? target : `missed: ${target}`, { of: isMet ? 'note' : '' }),
  ];
}
