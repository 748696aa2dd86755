import { invalidArgument } from './s3-error.ts';
import { uriEncodePath } from './uri.ts';

/** Where a listing stands: after an item, or after a key and everything that is folded into it. */
type Position<P> = P | string;

export interface ListingRequest<P> {
  readonly prefix: string;
  /** Keys that have it after the prefix are listed only as their common beginning. */
  readonly delimiter: string;
  readonly after: Position<P>;
  readonly limit: number;
}

export interface Listing<P, T> {
  readonly items: readonly T[];
  readonly commonPrefixes: readonly string[];
  /** The last item or common prefix, if there is more after it. */
  readonly next: Position<P> | undefined;
}

// No character sorts after it, so hardly a key that begins alike sorts after a key that ends in it.
const last = '\u{10ffff}';

/**
 * One page of a listing, items and common prefixes counted together. `fetch` gives the items after a
 * position, in byte order of their keys.
 */
export async function listPage<P extends { readonly key: string }, T extends P>(
  { prefix, delimiter, after, limit }: ListingRequest<P>,
  fetch: (after: Position<P>, limit: number) => Promise<readonly T[]>,
): Promise<Listing<P, T>> {
  const items: T[] = [];
  const commonPrefixes: string[] = [];
  if (limit === 0) return { items, commonPrefixes, next: undefined };
  // A page that ended in a common prefix goes on after everything that begins with it.
  let folded = typeof after === 'string' && foldedInto(after) === after ? after : undefined;
  let position = folded === undefined ? after : folded + last;
  let latest = after;
  for (;;) {
    const wanted = limit - items.length - commonPrefixes.length + 1;
    const page = await fetch(position, wanted);
    for (const item of page) {
      const common = foldedInto(item.key);
      if (common === undefined || common !== folded) {
        if (items.length + commonPrefixes.length === limit) {
          return { items, commonPrefixes, next: latest };
        }
        if (common === undefined) items.push(item);
        else commonPrefixes.push(common);
        latest = common ?? item;
      }
      folded = common;
      const isPassed = common === undefined || item.key.startsWith(common + last);
      position = isPassed ? item : common + last;
    }
    if (page.length < wanted) return { items, commonPrefixes, next: undefined };
  }

  function foldedInto(key: string): string | undefined {
    if (delimiter === '' || !key.startsWith(prefix)) return undefined;
    const at = key.indexOf(delimiter, prefix.length);
    return at < 0 ? undefined : key.slice(0, at + delimiter.length);
  }
}

export function keyOf(position: Position<{ readonly key: string }>): string {
  return typeof position === 'string' ? position : position.key;
}

/** How many to list: at most as many as S3 gives, which is also what no number means. */
export function limitOf(parameters: ReadonlyMap<string, string>, name: string): number {
  const text = parameters.get(name) ?? '';
  if (text === '') return 1_000;
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2_147_483_647) {
    throw invalidArgument(`Provided ${name} not an integer or within integer range`, name, text);
  }
  return Math.min(Number(text), 1_000);
}

/** How keys stand in an answer: as they are, or such that every one of them can stand in XML. */
export function keyEncoding(parameters: ReadonlyMap<string, string>): {
  encode(key: string): string;
  readonly members: { readonly EncodingType?: string };
} {
  const type = parameters.get('encoding-type');
  if (type === undefined || type === '') return { encode: (key) => key, members: {} };
  if (type !== 'url') {
    throw invalidArgument('Invalid Encoding Method specified in Request', 'encoding-type', type);
  }
  return { encode: uriEncodePath, members: { EncodingType: type } };
}
