import type { ModelAudience } from './audience.ts';
import type { Attributes } from './marketplace.ts';
import type { Operation, StoredFile } from './operations.ts';

/** What the model knows of a partner. */
export interface ModelPartner {
  readonly number: number;
  /** The devices of each attribute, after the operations that were checked. */
  readonly attributes: Attributes;
  /** The ids of all attributes that were ever created, by name. */
  readonly attributeIds: Map<string, number>;
  readonly descriptions: Map<string, string>;
  /** Attributes that no operation has dropped. */
  readonly usable: string[];
  readonly files: Map<string, StoredFile>;
  /** The MD5 of each object, by key. */
  readonly digests: Map<string, string>;
  readonly audiences: ModelAudience[];
  /** Answered operations whose effects are not yet applied to the model, in order. */
  readonly unchecked: AnsweredOperation[];
}

export interface AnsweredOperation {
  readonly operation: Operation;
  /** The log of an import or deletion. */
  readonly importLogId: number | undefined;
  /** The audience that it created. */
  readonly audience: number | undefined;
}

export function newPartner(number: number): ModelPartner {
  return {
    number,
    attributes: new Map(),
    attributeIds: new Map(),
    descriptions: new Map(),
    usable: [],
    files: new Map(),
    digests: new Map(),
    audiences: [],
    unchecked: [],
  };
}

/** The files at or under a path, in key order. */
export function filesAt(
  { files }: ModelPartner,
  path: string,
): (readonly [key: string, file: StoredFile])[] {
  const exact = files.get(path);
  if (exact) return [[path, exact]];
  const keys = [...files.keys()].filter((key) => key.startsWith(path));
  return keys.toSorted().map((key) => [key, files.get(key)!]);
}
