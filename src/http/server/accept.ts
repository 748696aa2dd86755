/**
 * The offered media type that the Accept header prefers. The first one if the client has no
 * preference, or accepts none of them.
 */
export function preferredType<T extends string>(
  accept: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  const ranges = (accept ?? '').split(',').map(mediaRange);
  let best = { type: offered[0], quality: 0, precision: 0 };
  for (const type of offered) {
    const { quality, precision } = qualityOf(type, ranges);
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

/** The most specific range that matches a type determines its quality (RFC 9110). */
function qualityOf(type: string, ranges: readonly MediaRange[]) {
  const matching = ['*/*', `${type.split('/', 1)[0]}/*`, type];
  for (const [index, candidate] of [...matching.entries()].reverse()) {
    const found = ranges.find(({ range }) => range === candidate);
    if (found) return { quality: found.quality, precision: index };
  }
  return { quality: 0, precision: 0 };
}
