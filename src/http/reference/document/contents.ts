import {
  METHODS,
  type Method,
  type OpenApiDocument,
  type Operation,
  type PathItem,
} from './openapi-document.ts';

/** One operation on the page. Its anchor stays the same from version to version. */
export interface Entry {
  readonly anchor: string;
  readonly title: string;
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
  /** Other addresses of the same operation. */
  readonly others: readonly { readonly anchor: string; readonly path: string }[];
}

export interface Group {
  readonly anchor: string;
  /** The part of the API that it belongs to, if the document has parts. */
  readonly part: string | undefined;
  readonly name: string;
  readonly description: string | undefined;
  readonly entries: readonly Entry[];
}

const UNTAGGED = 'Other operations';

/**
 * Groups operations by their first tag: the tags of each part in order, then other declared tags,
 * then others as they appear.
 */
export function contentsOf(document: OpenApiDocument): Group[] {
  const claim = createAnchors();
  const all = Object.entries(document.paths ?? {}).flatMap(([path, item = {}]) =>
    methodsOf(item).map(([method, operation]) => entryFor(path, method, operation, claim)),
  );
  const entries = withOtherAddresses(all);
  const byTag = Map.groupBy(entries, (entry) => entry.operation.tags?.[0] ?? UNTAGGED);
  const declared = new Map((document.tags ?? []).map((tag) => [tag.name, tag.description]));
  const parts = new Map(
    (document['x-tagGroups'] ?? []).flatMap(({ name, tags }) => tags.map((tag) => [tag, name])),
  );
  const names = new Set([...parts.keys(), ...declared.keys(), ...byTag.keys()]);
  return [...names]
    .map((name) => ({
      anchor: claim(`group-${name}`),
      part: parts.get(name),
      name,
      description: declared.get(name),
      entries: byTag.get(name) ?? [],
    }))
    .filter((group) => group.entries.length > 0);
}

/** In the order of the document. */
function methodsOf(item: PathItem): [Method, Operation][] {
  return Object.keys(item).flatMap((key): [Method, Operation][] => {
    const method = METHODS.find((known) => known === key);
    const operation = method === undefined ? undefined : item[method];
    return method === undefined || operation === undefined ? [] : [[method, operation]];
  });
}

/** Another address of an operation is listed with it and gets no entry of its own. */
function withOtherAddresses(all: readonly Entry[]): Entry[] {
  const ids = new Set(all.map(({ operation }) => operation.operationId));
  const originalOf = ({ operation }: Entry) => {
    const original = operation['x-same-as'];
    return ids.has(original) ? original : undefined;
  };
  return all
    .filter((entry) => originalOf(entry) === undefined)
    .map((entry) => {
      const { operationId } = entry.operation;
      const isOther = (other: Entry) =>
        operationId !== undefined && originalOf(other) === operationId;
      return { ...entry, others: all.filter(isOther) };
    });
}

function entryFor(
  path: string,
  method: Method,
  operation: Operation,
  claim: (wanted: string) => string,
): Entry {
  return {
    anchor: claim(`operation-${operation.operationId ?? `${method}-${path}`}`),
    title: operation.summary ?? `${method.toUpperCase()} ${path}`,
    method,
    path,
    operation,
    others: [],
  };
}

/** Turns each wanted name into an id that is safe in a URL. A name already taken gets a number. */
function createAnchors(): (wanted: string) => string {
  const taken = new Set<string>();
  return function claim(wanted) {
    const plain = wanted.replace(/\W+/g, '-').replace(/-+$/, '');
    let anchor = plain;
    for (let next = 2; taken.has(anchor); next += 1) anchor = `${plain}-${next}`;
    taken.add(anchor);
    return anchor;
  };
}

/** Whether the operation changes something. */
export function isWrite({ method }: Pick<Entry, 'method'>): boolean {
  return !['get', 'head', 'options'].includes(method);
}
