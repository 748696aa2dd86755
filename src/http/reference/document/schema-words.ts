import { listInWords } from './list-in-words.ts';
import type { Schema, Schemas } from './openapi-document.ts';
import { type OpenShape, shapesOf } from './schema-shapes.ts';

/** More constants than this are listed with the description instead of in the type. */
export const CONSTANTS_IN_TYPE = 5;

export function typeInWords(schema: Schema, schemas: Schemas): string {
  const { open, constants, nullable } = shapesOf(schema, schemas);
  const ofConstants = constants.map(({ value }) =>
    constants.length <= CONSTANTS_IN_TYPE ? JSON.stringify(value) : typeof value,
  );
  const ofOpen = open.map((shape) => openTypeInWords(shape, schemas));
  const words = new Set([...ofConstants, ...ofOpen, ...(nullable ? ['null'] : [])]);
  return listInWords([...words], 'or') || ANYTHING;
}

const ANYTHING = 'anything';

const FORMATS: Readonly<Record<string, string>> = {
  binary: 'bytes',
  'date-time': 'timestamp',
  email: 'e-mail address',
  uri: 'URI',
  uuid: 'UUID',
};

function openTypeInWords(shape: OpenShape, schemas: Schemas): string {
  if (shape.type === 'array') {
    const items = typeInWords(shape.items ?? {}, schemas);
    return items === ANYTHING ? 'array' : `array of ${plural(items)}`;
  }
  if (shape.type === 'object' && typeof shape.additionalProperties === 'object') {
    return `object of ${plural(typeInWords(shape.additionalProperties, schemas))} by name`;
  }
  return FORMATS[shape.format ?? ''] ?? shape.type ?? ANYTHING;
}

/** Only a plain noun takes an s: "array of strings", but "array of 0 or 1". */
function plural(words: string): string {
  return words.replace(/^(array|object)(?= of )|^[a-zA-Z-]*[a-rt-zA-Z]$/, '$&s');
}

/** A limit on a value, in words, with the pattern or value it refers to, if any. */
export interface Limit {
  readonly words: string;
  readonly code?: string;
}

export function limitsInWords(schema: Schema, schemas: Schemas): Limit[] {
  return shapesOf(schema, schemas).open.flatMap((shape) => {
    const ranges = [
      range(shape.minLength, shape.maxLength, 'character'),
      range(shape.minimum, worthSaying(shape.maximum)),
      range(shape.minItems, shape.maxItems, 'item'),
      shape.uniqueItems === true ? 'no duplicates' : undefined,
    ].filter((words) => words !== undefined);
    const pattern = shape.pattern === undefined ? [] : [{ words: 'matching', code: shape.pattern }];
    const ofItems = shape.items === undefined ? [] : limitsInWords(shape.items, schemas);
    return [
      ...ranges.map((words) => ({ words })),
      ...pattern,
      ...ofItems.map((limit) => ({ ...limit, words: `each ${limit.words}` })),
    ];
  });
}

/** Leaves out the largest exact integer of JSON, because it limits every integer of the API. */
function worthSaying(maximum: number | undefined): number | undefined {
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
}

function range(least?: number, most?: number, unit?: string): string | undefined {
  const count = (amount: number) => {
    const figure = amount.toLocaleString('en-US');
    return unit === undefined ? figure : `${figure} ${unit}${amount === 1 ? '' : 's'}`;
  };
  if (least !== undefined && most !== undefined) {
    return least === most
      ? `exactly ${count(most)}`
      : `${least.toLocaleString('en-US')} to ${count(most)}`;
  }
  if (least !== undefined) return `at least ${count(least)}`;
  return most === undefined ? undefined : `at most ${count(most)}`;
}
