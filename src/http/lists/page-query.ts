import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { parseQueryNumbers } from './query-numbers.ts';

const { most: maximumLimit } = limits.pageRecords;

interface ListTexts {
  /** The records, in the plural: `audiences`. */
  readonly records: string;
  /** The member that `after` refers to. */
  readonly id: string;
  /** How many records a request without `limit` gets. Null: all. */
  readonly byDefault: number | null;
}

const Limit = ({ records, byDefault }: ListTexts) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maximumLimit,
      description: `Maximum number of ${records}. ${byDefault === null ? 'Without it, all are returned.' : `Defaults to ${byDefault}.`}`,
      examples: [100],
    }),
  );

const afterText = ({ records, id }: ListTexts) =>
  `Return only ${records} that follow the one with this ${id}. The \`Link\` header of a page has the right value.`;

/** The query parameters of a list whose records have numbers as ids. */
export function pageQuery(texts: ListTexts) {
  return {
    limit: Limit(texts),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: afterText(texts),
        examples: [1],
      }),
    ),
  };
}

/** The same if the ids are text. */
export function textPageQuery(texts: ListTexts, pattern: string) {
  return {
    limit: Limit(texts),
    after: Type.Optional(
      Type.String({
        maxLength: limits.nameCharacters.most,
        pattern,
        description: afterText(texts),
      }),
    ),
  };
}

/** Goes into `preValidation` of a list, with the names of its other numbers. */
export const parsePage = (...others: readonly string[]) =>
  parseQueryNumbers('limit', 'after', ...others);

/** The headers of a response that is a page of a list. */
export const pageHeaders = {
  Link: {
    type: 'string',
    description: 'The path of the next page, with `rel="next"`. Absent on the last page.',
  },
};
