/** A position in a listing: after an item, or after a key or common prefix. */
type Position<P> = P | string;

export interface ListingRequest<P> {
  readonly prefix: string;
  /** Keys that contain it after the prefix are grouped into a common prefix. */
  readonly delimiter: string;
  readonly after: Position<P>;
  readonly limit: number;
}

export interface Listing<P, T> {
  readonly items: readonly T[];
  readonly commonPrefixes: readonly string[];
  /** The last item or common prefix, if more may follow. */
  readonly next: Position<P> | undefined;
}

// The highest character: a common prefix followed by it sorts after almost every key in the group.
export const highestCharacter = '\u{10ffff}';

/** After a group few items are fetched, because the next ones may be of another large group. */
const fetchedAfterGroup = 16;
/** A page has fewer entries than its limit if it would take more fetches than this. */
const mostFetches = 200;

/**
 * Lists one page; the limit counts items and common prefixes together. `fetch` returns items after a
 * position, in byte order of their keys.
 */
export async function listPage<P extends { readonly key: string }, T extends P>(
  { prefix, delimiter, after, limit }: ListingRequest<P>,
  fetch: (after: Position<P>, limit: number) => Promise<readonly T[]>,
): Promise<Listing<P, T>> {
  const items: T[] = [];
  const commonPrefixes: string[] = [];
  if (limit === 0) return { items, commonPrefixes, next: undefined };
  // After a page that ended with a common prefix, continue after the whole group.
  let currentPrefix =
    typeof after === 'string' && commonPrefixOf(after) === after ? after : undefined;
  let position = currentPrefix === undefined ? after : currentPrefix + highestCharacter;
  let latest = after;
  let most = limit + 1;
  for (let fetches = 1; ; fetches++) {
    const listed = items.length + commonPrefixes.length;
    if (fetches > mostFetches && listed > 0) return { items, commonPrefixes, next: latest };
    const wanted = Math.min(limit - listed + 1, most);
    const page = await fetch(position, wanted);
    for (const item of page) {
      const common = commonPrefixOf(item.key);
      if (common === undefined || common !== currentPrefix) {
        if (items.length + commonPrefixes.length === limit) {
          return { items, commonPrefixes, next: latest };
        }
        if (common === undefined) items.push(item);
        else commonPrefixes.push(common);
        latest = common ?? item;
      }
      currentPrefix = common;
      const isPassed = common === undefined || item.key.startsWith(common + highestCharacter);
      position = isPassed ? item : common + highestCharacter;
    }
    if (page.length < wanted) return { items, commonPrefixes, next: undefined };
    most = typeof position === 'string' ? fetchedAfterGroup : 4 * most;
  }

  function commonPrefixOf(key: string): string | undefined {
    if (delimiter === '' || !key.startsWith(prefix)) return undefined;
    const at = key.indexOf(delimiter, prefix.length);
    return at < 0 ? undefined : key.slice(0, at + delimiter.length);
  }
}

export function keyOf(position: Position<{ readonly key: string }>): string {
  return typeof position === 'string' ? position : position.key;
}
