import { ButtonLink } from '../../parts/button.tsx';
import type { FileProblem } from './problem-list.tsx';
import { isRejection } from './problem-words.ts';

interface RejectsLinkProps {
  /** Of the resource whose rows were rejected. */
  readonly address: string;
  readonly problems: readonly FileProblem[];
}

/** The rows that were dropped, to take away as CSV; nothing if none were. */
export function RejectsLink({ address, problems }: RejectsLinkProps) {
  if (!problems.some(({ code }) => isRejection(code))) return null;
  return (
    <ButtonLink href={`${address}/rejects`} download="">
      Download rejected rows
    </ButtonLink>
  );
}
