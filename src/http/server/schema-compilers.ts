import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { TObject } from 'typebox';

/** Turn the routes' schemas into validators and serializers. */
export interface SchemaCompilers {
  readonly validator: FastifySchemaCompiler<object>;
  readonly serializer: FastifySerializerCompiler<object>;
}

/** Fastify's own compilers, which compile immediately. */
export function createSchemaCompilers(): SchemaCompilers {
  const validatorOf = AjvCompiler()(
    {},
    {
      customOptions: {
        // A body is validated as sent, never changed.
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
      },
    },
  ) as SchemaCompilers['validator'];
  return {
    validator: (part) =>
      validatorOf(
        part.httpPart === 'headers' ? { ...part, schema: inLowerCase(part.schema) } : part,
      ),
    serializer: SerializerSelector()({}, {}) as SchemaCompilers['serializer'],
  };
}

/**
 * Compiles each schema when it is first used. A process needs few of the hundreds of schemas early,
 * so it starts faster.
 */
export function compileOnFirstUse(createCompilers: () => SchemaCompilers): SchemaCompilers {
  const compilers = once(createCompilers);
  return {
    validator(part) {
      const compiled = once(() => compilers().validator(part));
      const validate: ReturnType<SchemaCompilers['validator']> = (data) => {
        const isValid = compiled()(data);
        validate.errors = compiled().errors ?? null;
        return isValid;
      };
      return validate;
    },
    serializer(part) {
      const compiled = once(() => compilers().serializer(part));
      return (data) => compiled()(data);
    },
  };
}

/** Node lower-cases header names. Fastify does so with schemas only for its own compiler. */
function inLowerCase(headers: object): object {
  const { properties, required = [], ...rest } = headers as TObject;
  const entries = Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...rest,
    properties: Object.fromEntries(entries),
    required: required.map((name) => name.toLowerCase()),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
