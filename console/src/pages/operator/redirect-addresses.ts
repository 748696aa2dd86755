import type { Problem } from '../../api/problem.ts';

export interface AddressError {
  /** Counted from 1; undefined if the error is about the whole list. */
  readonly line: number | undefined;
  /** The end of a sentence. */
  readonly message: string;
}

/** One address per line; empty and duplicate lines are skipped. */
export function addressesIn(text: string): string[] {
  return [...linesByAddress(text).keys()];
}

/** The errors that the service reports for the addresses that were sent, with their lines. */
export function addressErrors(problem: Problem | undefined, sent: string): AddressError[] {
  const lines = [...linesByAddress(sent).values()];
  return (problem?.errors ?? []).flatMap(({ pointer, message }) => {
    const [, field, index] = pointer.split('/');
    if (field !== 'redirect_uris') return [];
    return [{ line: index === undefined ? undefined : lines[Number(index)], message }];
  });
}

/** The start and the end of a line within the text. */
export function rangeOfLine(text: string, line: number): readonly [from: number, to: number] {
  const lines = text.split('\n');
  const from = lines.slice(0, line - 1).reduce((length, each) => length + each.length + 1, 0);
  return [from, from + (lines[line - 1]?.length ?? 0)];
}

/** Each address with the first line that holds it. */
function linesByAddress(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [index, each] of text.split('\n').entries()) {
    const address = each.trim();
    if (address !== '' && !found.has(address)) found.set(address, index + 1);
  }
  return found;
}
