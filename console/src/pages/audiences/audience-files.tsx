import type { ReactNode } from 'react';
import { countColumn } from '../../parts/data-table.tsx';
import { FilesTable } from '../imports/files-table.tsx';
import type { FileProblem } from '../imports/problem-list.tsx';
import { mainProblem, problemTitle } from '../imports/problem-words.ts';
import type { AudienceDetails } from './audience.ts';

interface AudienceFilesProps {
  readonly files: readonly AudienceDetails['file'][number][];
  readonly problems: readonly FileProblem[];
}

export function AudienceFiles({ files, problems }: AudienceFilesProps) {
  const byFile = Map.groupBy(problems, ({ file }) => file);
  return (
    <FilesTable
      files={files}
      columns={[
        countColumn('Rows loaded', 'rows_uploaded'),
        {
          label: 'Problems',
          className: 'wide reason',
          isCardLabelled: true,
          cell: ({ s3_path }) => summaryOf(byFile.get(s3_path) ?? []),
        },
      ]}
    />
  );
}

/** The list below the table has the details. */
function summaryOf(problems: readonly FileProblem[]): ReactNode {
  const main = mainProblem(problems);
  if (main === undefined) return <span className="muted">None</span>;
  const others = problems.length - 1;
  return `${problemTitle(main.code)}${others === 0 ? '' : ` and ${others} more`}`;
}
