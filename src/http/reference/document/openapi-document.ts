/** The parts of OpenAPI 3.1 and JSON Schema that the reference page reads. */
export interface OpenApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  /** Tags by reader. Other viewers of OpenAPI documents know this extension as well. */
  readonly 'x-tagGroups'?: readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly security?: readonly SecurityRequirement[];
  readonly paths?: Readonly<Record<string, PathItem | undefined>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
export type Method = (typeof METHODS)[number];
export type PathItem = { readonly [method in Method]?: Operation };

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses?: Readonly<Record<string, Response>>;
  /** The operationId of the operation that this is another address of. */
  readonly 'x-same-as'?: string;
}

/** All schemes of one requirement are needed; of several requirements, one is enough. */
type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
  readonly description?: string;
}

export interface Parameter extends Exemplified {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface RequestBody {
  readonly required?: boolean;
  readonly description?: string;
  readonly content: Content;
}

export interface Response {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}

interface Header {
  readonly description?: string;
  readonly schema?: Schema;
}

export type Content = Readonly<Record<string, MediaType>>;

export interface MediaType extends Exemplified {
  readonly schema?: Schema;
}

interface Exemplified {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export type Schemas = Readonly<Record<string, Schema>>;

export function schemasOf(document: OpenApiDocument): Schemas {
  return document.components?.schemas ?? {};
}

const REFERENCE = '#/components/schemas/';

/** The target of a reference, overridden by the members beside the reference. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const seen = new Set<string>();
  let resolved = schema;
  while (resolved.$ref !== undefined && !seen.has(resolved.$ref)) {
    const { $ref, ...beside } = resolved;
    seen.add($ref);
    const name = $ref.startsWith(REFERENCE) ? $ref.slice(REFERENCE.length) : $ref;
    resolved = { ...(Object.hasOwn(schemas, name) ? schemas[name] : undefined), ...beside };
  }
  return resolved;
}

/** The first example of a parameter or media type, if any. */
export function givenExample(holder: Exemplified): unknown {
  return holder.example === undefined
    ? Object.values(holder.examples ?? {})[0]?.value
    : holder.example;
}
