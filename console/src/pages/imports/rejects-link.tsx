import { ButtonLink } from '../../parts/button.tsx';
import type { FileProblem } from './problem-list.tsx';
import { isRejection } from './problem-words.ts';

interface RejectsLinkProps {
  /** The API path of the import or the audience. */
  readonly address: string;
  readonly problems: readonly FileProblem[];
}

/** A link to download the rejected rows as CSV, if there are any. */
export function RejectsLink({ address, problems }: RejectsLinkProps) {
  if (!problems.some(({ code }) => isRejection(code))) return null;
  return (
    <ButtonLink href={`${address}/rejects`} download="">
      Download rejected rows
    </ButtonLink>
  );
}
