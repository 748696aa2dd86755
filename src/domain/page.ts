import { limits } from './limits.ts';

/** A page of a list: at most `limit` records that follow `after` in the order of the list. */
export interface Page<Key extends number | string = number> {
  /** The id of the last record of the page before. Null for the first page. */
  readonly after: Key | null;
  readonly limit: number;
}

export const firstPage: Page<never> = { after: null, limit: limits.pageRecords.most };
