/** An OpenAPI document, as far as the generators of clients read it. */
export interface ApiDocument {
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-same-as'?: string;
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly description?: string;
}

/** The operations that partners call, each at its current address only. */
export function partnerDocument<T extends ApiDocument>(document: T): T {
  const tags = document['x-tagGroups'].find(({ name }) => name === 'Partner API')!.tags;
  const isPartners = (operation: ApiOperation) =>
    operation['x-same-as'] === undefined && tags.includes(operation.tags?.[0] ?? '');
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    const kept = Object.entries(methods).filter(([, operation]) => isPartners(operation));
    return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)]];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
