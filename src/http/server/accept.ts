/**
 * Which of the offered media types a client prefers, by its Accept header: the first of them if it
 * does not care, or wants something else altogether.
 */
export function preferredType<T extends string>(
  accept: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  const ranges = (accept ?? '').split(',').map(mediaRange);
  let best = { type: offered[0], quality: 0, precision: 0 };
  for (const type of offered) {
    const { quality, precision } = opinionOn(type, ranges);
    const better =
      quality > best.quality || (quality === best.quality && precision > best.precision);
    if (better && quality > 0) best = { type, quality, precision };
  }
  return best.type;
}

interface MediaRange {
  readonly range: string;
  readonly quality: number;
}

function mediaRange(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return { range, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
}

/** The most precise range that covers a type decides, as HTTP has it. */
function opinionOn(type: string, ranges: readonly MediaRange[]) {
  const coverings = ['*/*', `${type.split('/', 1)[0]}/*`, type];
  for (const [index, covering] of [...coverings.entries()].reverse()) {
    const found = ranges.find(({ range }) => range === covering);
    if (found) return { quality: found.quality, precision: index };
  }
  return { quality: 0, precision: 0 };
}
