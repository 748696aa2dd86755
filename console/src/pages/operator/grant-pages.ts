import type { Grant } from './wire.ts';

export const pageSize = 100;

/** The cursor of the page after these; undefined if there is none. */
export function nextBefore(
  pages: readonly (readonly Pick<Grant, 'grant_id'>[])[],
): number | undefined {
  const last = pages.at(-1);
  return last?.length === pageSize ? last.at(-1)?.grant_id : undefined;
}
