/** A Markdown table with aligned columns. */
export function markdownTable(heading: readonly string[], rows: readonly string[][]): string {
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  return [heading, rule, ...rows]
    .map((cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`)
    .join('\n');
}
