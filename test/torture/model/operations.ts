import type { ModelContent } from './audience.ts';
import type { MarketplaceContent } from './marketplace.ts';

/** The content of an object, and whether it was uploaded in parts: its ETag depends on both. */
export interface StoredFile {
  readonly content: MarketplaceContent | (ModelContent & { readonly kind: 'audience' });
  readonly inParts: boolean;
}

/** Something a partner does. Attributes and audiences are named by the model, not by their ids. */
export type Operation =
  | {
      readonly kind: 'upload';
      readonly key: string;
      readonly file: StoredFile;
      readonly by: Uploader;
    }
  | { readonly kind: 'abandon upload'; readonly key: string; readonly isAborted: boolean }
  | { readonly kind: 'remove object'; readonly key: string }
  | { readonly kind: 'create attribute'; readonly attribute: string }
  | { readonly kind: 'describe attribute'; readonly attribute: string; readonly text: string }
  | { readonly kind: 'drop attribute'; readonly attribute: string }
  | ImportOperation
  | {
      readonly kind: 'delete data';
      readonly attributes: readonly string[];
      readonly keyType: 0 | 1;
    }
  | { readonly kind: 'create audience'; readonly path: string; readonly customer: number | null }
  | { readonly kind: 'append'; readonly audience: number; readonly path: string }
  | { readonly kind: 'clear'; readonly audience: number };

type Uploader = 'operator' | 'partner';

export interface ImportOperation {
  readonly kind: 'import';
  readonly path: string;
  readonly keyType: 0 | 1;
  readonly mode: 'merge' | 'replace';
  readonly isDryRun: boolean;
  /** Reads the same bucket as if it were the partner's own, through a proxy that can fail. */
  readonly fromOwnBucket: boolean;
}

/** One line of the history. */
export function describe(operation: Operation): string {
  switch (operation.kind) {
    case 'upload': {
      const { key, file, by } = operation;
      const { kind: _, ...content } = file.content;
      return `${by} uploads ${key}${file.inParts ? ' in parts' : ''}: ${JSON.stringify(content)}`;
    }
    case 'abandon upload':
      return `${operation.isAborted ? 'aborts' : 'abandons'} an upload of ${operation.key}`;
    case 'import': {
      const { path, mode, isDryRun, fromOwnBucket } = operation;
      const how = [isDryRun && 'dry run', mode, fromOwnBucket && 'from the own bucket'];
      return `imports ${path} (${how.filter(Boolean).join(', ')})`;
    }
    default: {
      const { kind, ...details } = operation;
      return `${kind} ${JSON.stringify(details)}`;
    }
  }
}
