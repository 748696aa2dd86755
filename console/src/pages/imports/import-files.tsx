import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { FirstOnes } from './first-ones.tsx';
import type { ImportFile } from './jobs.ts';
import { stateOf } from './status.ts';

export function ImportFiles({ files }: { readonly files: readonly ImportFile[] }) {
  return (
    <FirstOnes all={files} atFirst={200}>
      {(shown) => <FileTable files={shown} />}
    </FirstOnes>
  );
}

function FileTable({ files }: { readonly files: readonly ImportFile[] }) {
  return (
    <div className="data-scroll">
      <table className="data card-rows files">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">State</th>
            <th scope="col" className="num">
              Rows
            </th>
            <th scope="col" className="num">
              Rejected
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
              <td className="num" data-label="Rows">
                {count(file.total_rows)}
              </td>
              <td className="num" data-label="Rejected">
                {count(file.rejected_rows)}
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
