import type { ReactNode } from 'react';
import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { FirstOnes } from '../imports/first-ones.tsx';
import type { FileProblem } from '../imports/problem-list.tsx';
import { foremost, problemTitle } from '../imports/problem-words.ts';
import { stateOf } from '../imports/status.ts';
import type { AudienceDetails } from './audience.ts';

interface AudienceFilesProps {
  readonly files: readonly AudienceDetails['file'][number][];
  readonly problems: readonly FileProblem[];
}

export function AudienceFiles({ files, problems }: AudienceFilesProps) {
  return (
    <FirstOnes all={files} atFirst={200}>
      {(shown) => <FileTable files={shown} problems={problems} />}
    </FirstOnes>
  );
}

function FileTable({ files, problems }: AudienceFilesProps) {
  const byFile = Map.groupBy(problems, ({ file }) => file);
  return (
    <div className="data-scroll">
      <table className="data card-rows files">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">State</th>
            <th scope="col" className="num">
              Rows loaded
            </th>
            <th scope="col" className="reason">
              Problems
            </th>
            <th scope="col">Updated</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr key={file.s3_path}>
              <th scope="row" className="wide">
                <bdi className="path">{file.s3_path}</bdi>
              </th>
              <td>
                <StateBadge state={stateOf(file)} />
              </td>
              <td className="num" data-label="Rows loaded">
                {count(file.rows_uploaded)}
              </td>
              <td className="wide" data-label="Problems">
                {inShort(byFile.get(file.s3_path) ?? [])}
              </td>
              <td>
                <Moment at={file.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The reasons stand whole below the table. */
function inShort(problems: readonly FileProblem[]): ReactNode {
  const main = foremost(problems);
  if (main === undefined) return <span className="muted">None</span>;
  const others = problems.length - 1;
  return `${problemTitle(main.code)}${others === 0 ? '' : ` and ${others} more`}`;
}
