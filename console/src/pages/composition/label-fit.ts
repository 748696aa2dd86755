/** The width of a text in pixels. */
export type Measure = (text: string) => number;

export interface FittedLabel {
  /** The ancestors, each followed by the separator. Empty if they do not fit. */
  readonly path: string;
  readonly leaf: string;
  readonly isCut: boolean;
}

const step = ' › ';
const ellipsis = '…';

/** As much of a label as fits. Ancestors are dropped first, from the top; the leaf is cut last. */
export function fitLabel(
  ancestors: readonly string[],
  leaf: string,
  width: number,
  measure: Measure,
): FittedLabel {
  const room = width - measure(leaf);
  for (let dropped = 0; dropped <= ancestors.length; dropped += 1) {
    const kept = ancestors.slice(dropped);
    if (dropped > 0 && kept.length > 0) kept.unshift(ellipsis);
    const path = kept.map((name) => name + step).join('');
    if (measure(path) <= room) return { path, leaf, isCut: dropped > 0 };
  }
  return { path: '', leaf: cut(leaf, width, measure), isCut: true };
}

/** The longest prefix that fits with an ellipsis, found by bisection. */
function cut(text: string, width: number, measure: Measure): string {
  const characters = Array.from(text);
  let fits = 0;
  let tooLong = characters.length;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (measure(characters.slice(0, middle).join('') + ellipsis) <= width) fits = middle;
    else tooLong = middle;
  }
  return characters.slice(0, fits).join('').trimEnd() + ellipsis;
}
