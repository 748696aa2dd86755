import type { Problem } from '../../api/problem.ts';

export interface AddressFault {
  /** Counted from 1; undefined if it is about all of them. */
  readonly line: number | undefined;
  /** The end of a sentence. */
  readonly message: string;
}

/** One address per line; empty lines, and what stands there twice, are passed over. */
export function addressesIn(text: string): string[] {
  return [...linesByAddress(text).keys()];
}

/** What the service says is wrong with the addresses that were sent, by their lines. */
export function addressFaults(problem: Problem | undefined, sent: string): AddressFault[] {
  const lines = [...linesByAddress(sent).values()];
  return (problem?.errors ?? []).flatMap(({ pointer, message }) => {
    const [, field, index] = pointer.split('/');
    if (field !== 'redirect_uris') return [];
    return [{ line: index === undefined ? undefined : lines[Number(index)], message }];
  });
}

/** From where to where a line reaches in a text. */
export function reachOfLine(text: string, line: number): readonly [from: number, to: number] {
  const lines = text.split('\n');
  const from = lines.slice(0, line - 1).reduce((length, each) => length + each.length + 1, 0);
  return [from, from + (lines[line - 1]?.length ?? 0)];
}

/** Each address with the first line that it stands in. */
function linesByAddress(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [index, each] of text.split('\n').entries()) {
    const address = each.trim();
    if (address !== '' && !found.has(address)) found.set(address, index + 1);
  }
  return found;
}
