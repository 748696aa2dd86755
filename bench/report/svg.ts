/** The shapes of the plot, coloured by classes for light and dark mode. */

const fontSize = 13;

const style = `
  text { font: ${fontSize}px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2937 }
  .title { font-size: 16px; font-weight: 600 }
  .head { font-weight: 600 }
  .note { fill: #6b7280 }
  .ours { fill: #2563eb }
  .peer { fill: #b6bfcc }
  .missed { fill: #d9480f }
  .line { stroke: #6b7280; stroke-width: 1 }
  .grid { stroke: #e5e7eb; stroke-width: 1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e5e7eb }
    .note { fill: #9ca3af }
    .ours { fill: #60a5fa }
    .peer { fill: #566173 }
    .missed { fill: #ff8a4c }
    .line { stroke: #9ca3af }
    .grid { stroke: #2b3440 }
  }`;

export function svg(
  width: number,
  height: number,
  label: string,
  shapes: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">
<style>${style}
</style>
${shapes.join('\n')}
</svg>
`;
}

/** `y` is the middle of the line. */
export function text(
  x: number,
  y: number,
  content: string,
  { of = '', anchor = 'start' }: { of?: string; anchor?: 'start' | 'middle' | 'end' } = {},
): string {
  const baseline = round(y + fontSize * 0.35);
  const names = of === '' ? '' : ` class="${of}"`;
  const side = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${round(x)}" y="${baseline}"${names}${side}>${escaped(content)}</text>`;
}

/** `y` is the middle of the bar. */
export function bar(x: number, y: number, width: number, height: number, of: string): string {
  const top = round(y - height / 2);
  return `<rect class="${of}" x="${round(x)}" y="${top}" width="${round(Math.max(width, 1))}" height="${height}" rx="2"/>`;
}

export function verticalLine(x: number, from: number, to: number, of: string): string {
  return `<line class="${of}" x1="${round(x)}" x2="${round(x)}" y1="${round(from)}" y2="${round(to)}"/>`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
