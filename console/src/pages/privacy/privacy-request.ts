import type { Answered } from '../../api/wire.ts';
import { count, counted } from '../../parts/format.ts';
import type { State } from '../../parts/state-badge.tsx';

export type PrivacyRequest = Answered<'/admin/v1/privacy/requests/{request_id}'>;
export type Finding = Answered<'/admin/v1/privacy/requests/{request_id}/findings'>[number];

export const kindWords: Readonly<Record<PrivacyRequest['kind'], string>> = {
  delete: 'Delete',
  opt_out: 'Opt out',
  access: 'Access',
};

/** How far a request is, as a badge shows it. */
export function badgeOf({ kind, state }: PrivacyRequest): { state: State; word: string } {
  switch (state) {
    case 'received':
      return { state: 'pending', word: 'Received' };
    case 'suppressed':
      return { state: 'running', word: 'Being removed' };
    case 'removed':
      return { state: 'running', word: 'Removed, bytes being deleted' };
    case 'done':
      return { state: 'done', word: kind === 'access' ? 'Answered' : 'Done' };
  }
}

/** What was found, such as "2 of 3 stored". */
export function foundInWords({ identifiers, counts }: PrivacyRequest): string {
  return counts === null
    ? counted(identifiers, 'identifier', 'identifiers')
    : `${count(counts.found)} of ${count(identifiers)} stored`;
}

/** Where it was found. */
export function placesInWords({ counts }: PrivacyRequest): string | null {
  if (counts === null) return null;
  const { attributes, audiences, partners } = counts;
  return `${counted(attributes, 'attribute', 'attributes')} and ${counted(audiences, 'audience', 'audiences')} of ${counted(partners, 'partner', 'partners')}`;
}

/** The identifiers in a text: one on each line, or separated by commas or semicolons. */
export function identifiersIn(text: string): string[] {
  return text
    .split(/[\n,;]/)
    .map((identifier) => identifier.trim())
    .filter((identifier) => identifier !== '');
}

/** The first faults of a list of identifiers, by their place in it. */
export function faultsOf(
  errors: readonly { readonly pointer: string; readonly message: string }[],
): string[] {
  return errors.flatMap(({ pointer, message }) => {
    const [, index] = /^\/identifiers\/(\d+)$/.exec(pointer) ?? [];
    return index === undefined ? [] : [`Identifier ${count(Number(index) + 1)} ${message}.`];
  });
}
