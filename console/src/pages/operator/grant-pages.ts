import type { Grant } from './wire.ts';

export const pageSize = 100;

/** Where to go on after these pages; undefined if nothing follows. */
export function nextBefore(
  pages: readonly (readonly Pick<Grant, 'grant_id'>[])[],
): number | undefined {
  const last = pages.at(-1);
  return last?.length === pageSize ? last.at(-1)?.grant_id : undefined;
}
