import { resolve, type Schema, type Schemas } from './openapi-document.ts';
import { type OpenShape, shapesOf } from './schema-shapes.ts';

/** A sample request has its required members; a sample answer has all members. */
export type Side = 'request' | 'answer';

/** A value that the schema allows, or undefined if there is none to show. */
export function sampleOf(
  schema: Schema,
  schemas: Schemas,
  side: Side,
  above: ReadonlySet<unknown> = new Set(),
): unknown {
  const resolved = resolve(schema, schemas);
  const given = [exampleIn(resolved, schemas), resolved.default].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  const { open, constants, nullable } = shapesOf(resolved, schemas);
  if (constants[0] !== undefined) return constants[0].value;
  const shape = open[0];
  const made = shape === undefined ? undefined : sampleOfShape(shape, schemas, side, above);
  return made === undefined && nullable ? null : made;
}

export function exampleIn(schema: Schema, schemas: Schemas): unknown {
  const { example, examples } = resolve(schema, schemas);
  return examples === undefined ? example : examples[0];
}

function sampleOfShape(
  shape: OpenShape,
  schemas: Schemas,
  side: Side,
  above: ReadonlySet<unknown>,
): unknown {
  const given = exampleIn(shape, schemas);
  if (given !== undefined) return given;
  switch (shape.type) {
    case 'object':
      return sampleOfObject(shape, schemas, side, above);
    case 'array': {
      const item =
        shape.maxItems === 0 ? undefined : sampleOf(shape.items ?? {}, schemas, side, above);
      return item === undefined ? [] : Array(Math.max(1, shape.minItems ?? 1)).fill(item);
    }
    case 'string':
      return sampleOfString(shape);
    case 'integer':
    case 'number':
      return Math.min(Math.max(1, shape.minimum ?? 1), shape.maximum ?? Number.POSITIVE_INFINITY);
    case 'boolean':
      return true;
    default:
      return undefined;
  }
}

function sampleOfObject(
  shape: OpenShape,
  schemas: Schemas,
  side: Side,
  above: ReadonlySet<unknown>,
): unknown {
  const { properties = {}, required = [] } = shape;
  // A recursive schema is sampled once.
  if (above.has(properties)) return undefined;
  const inside = new Set([...above, properties]);
  const members = Object.entries(properties)
    .filter(
      ([name, member]) =>
        side === 'answer' || required.includes(name) || exampleIn(member, schemas) !== undefined,
    )
    .map(([name, member]) => [name, sampleOf(member, schemas, side, inside)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(members);
}

const FORMATTED: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

function sampleOfString(shape: OpenShape): string | undefined {
  if (shape.format === 'binary') return undefined;
  const formatted = FORMATTED[shape.format ?? ''];
  if (formatted !== undefined) return formatted;
  if (shape.pattern !== undefined) {
    const pattern = new RegExp(shape.pattern, 'u');
    return (
      ['string', '1', ...Object.values(FORMATTED)].find((text) => pattern.test(text)) ?? 'string'
    );
  }
  return 'string'.padEnd(shape.minLength ?? 0, '-').slice(0, shape.maxLength);
}
