import { resolve, type Schema, type Schemas } from './openapi-document.ts';
import { type Constant, type OpenShape, shapesOf } from './schema-shapes.ts';
import { CONSTANTS_IN_TYPE, type Limit, limitsInWords, typeInWords } from './schema-words.ts';

/** One row in a table of fields. */
export interface Field {
  /** The path of its parent, such as `credentials.` or `errors[].`. */
  readonly parent: string;
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly description: string;
  readonly limits: readonly Limit[];
  /** Allowed values, if the type does not already list them all. */
  readonly constants: readonly Constant[];
}

export function fieldOf(
  name: string,
  schema: Schema,
  schemas: Schemas,
  rest: { required: boolean; parent?: string; description?: string | undefined },
): Field {
  const { default: initial, description } = resolve(schema, schemas);
  const { constants } = shapesOf(schema, schemas);
  const worthListing =
    constants.length > CONSTANTS_IN_TYPE ||
    (constants.length > 1 && constants.some(({ meaning }) => meaning !== undefined));
  const limits = limitsInWords(schema, schemas);
  return {
    parent: rest.parent ?? '',
    name,
    required: rest.required,
    type: typeInWords(schema, schemas),
    description: rest.description ?? description ?? '',
    limits:
      initial === undefined
        ? limits
        : [...limits, { words: 'default', code: JSON.stringify(initial) }],
    constants: worthListing ? constants : [],
  };
}

/** The members of a body, each followed by its own members if it has any. */
export function fieldsOf(schema: Schema, schemas: Schemas): Field[] {
  return membersWithin(schema, schemas, '', new Set());
}

function membersWithin(
  schema: Schema,
  schemas: Schemas,
  parent: string,
  above: ReadonlySet<unknown>,
): Field[] {
  return objectsWithin(schema, schemas).flatMap(({ shape, through }) => {
    const { properties = {} } = shape;
    // A recursive schema is described once.
    if (above.has(properties)) return [];
    const prefix = parent === '' ? '' : `${parent}${through}.`;
    const inside = new Set([...above, properties]);
    return Object.entries(properties).flatMap(([name, member]) => [
      fieldOf(name, member, schemas, {
        required: shape.required?.includes(name) === true,
        parent: prefix,
      }),
      ...membersWithin(member, schemas, `${prefix}${name}`, inside),
    ]);
  });
}

function objectsWithin(
  schema: Schema,
  schemas: Schemas,
  through = '',
): { shape: OpenShape; through: string }[] {
  return shapesOf(schema, schemas).open.flatMap((shape) => {
    if (shape.type === 'object') return [{ shape, through }];
    if (shape.items === undefined) return [];
    return objectsWithin(shape.items, schemas, `${through}[]`);
  });
}
