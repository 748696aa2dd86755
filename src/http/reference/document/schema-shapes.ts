import { resolve, type Schema, type Schemas } from './openapi-document.ts';

/**
 * The forms that a value may have, after choices are flattened and references resolved. Constants and
 * `null` are listed separately.
 */
export interface Shapes {
  readonly open: readonly OpenShape[];
  readonly constants: readonly Constant[];
  readonly nullable: boolean;
}

export type OpenShape = Omit<Schema, 'type'> & { readonly type?: string };

export interface Constant {
  readonly value: unknown;
  /** The description of a choice that allows only this value. */
  readonly meaning: string | undefined;
}

export function shapesOf(schema: Schema, schemas: Schemas): Shapes {
  const resolved = resolve(schema, schemas);
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (choices === undefined) return shapesWithoutChoice(resolved);
  const parts = choices.map((choice) => shapesOf(choice, schemas));
  return {
    open: parts.flatMap((part) => part.open),
    constants: parts.flatMap((part) => part.constants),
    nullable: parts.some((part) => part.nullable),
  };
}

function shapesWithoutChoice(schema: Schema): Shapes {
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values !== undefined) {
    const meaning = values.length === 1 ? schema.description : undefined;
    const constants = values.filter((value) => value !== null).map((value) => ({ value, meaning }));
    return { open: [], constants, nullable: values.includes(null) };
  }
  const { type, ...shape } = schema;
  if (type === undefined) return { open: [shape], constants: [], nullable: false };
  const types = typeof type === 'string' ? [type] : type;
  return {
    open: types.filter((name) => name !== 'null').map((name) => ({ ...shape, type: name })),
    constants: [],
    nullable: types.includes('null'),
  };
}
