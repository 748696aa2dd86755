/** A place of the page that can be found. Texts are in lower case. */
export interface Place {
  readonly anchor: string;
  readonly title: string;
  /** The address of an operation, or the status of a problem. */
  readonly address: string;
  /** Names of fields, parameters and codes. */
  readonly names: readonly string[];
  readonly text: string;
}

export interface Found<T extends Place> {
  readonly place: T;
  /** The name that matched, unless the title or address did. */
  readonly name: string | undefined;
}

/** Places that have all words of the query, best first, otherwise in the order of the page. */
export function search<T extends Place>(places: readonly T[], query: string): Found<T>[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return places
    .map((place) => ({ place, scores: words.map((word) => scoreOf(place, word)) }))
    .filter(({ scores }) => scores.every((score) => score > 0))
    .map(({ place, scores }) => ({ place, score: scores.reduce((sum, one) => sum + one, 0) }))
    .sort((one, other) => other.score - one.score)
    .map(({ place }) => ({ place, name: nameFor(place, words) }));
}

function scoreOf({ anchor, title, address, names, text }: Place, word: string): number {
  const lower = title.toLowerCase();
  if (lower === word) return 20;
  if (lower.startsWith(word) || lower.includes(` ${word}`)) return 10;
  if (names.includes(word)) return 8;
  if (lower.includes(word) || address.includes(word)) return 6;
  if (anchor.toLowerCase().includes(word)) return 5;
  if (names.some((name) => name.includes(word))) return 4;
  return text.includes(word) ? 1 : 0;
}

function nameFor({ title, address, names }: Place, words: readonly string[]): string | undefined {
  const shown = `${title} ${address}`.toLowerCase();
  const hidden = words.filter((word) => !shown.includes(word));
  return (
    names.find((name) => hidden.includes(name)) ??
    names.find((name) => hidden.some((word) => name.includes(word)))
  );
}
