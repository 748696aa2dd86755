import { Redirect, useParams } from 'wouter';
import { ButtonLink } from '../../parts/button.tsx';
import { countColumn } from '../../parts/data-table.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { FilesTable } from './files-table.tsx';
import { FirstItems } from './first-items.tsx';
import { ImportSummary } from './import-summary.tsx';
import { importKind } from './job-words.ts';
import { ProblemList } from './problem-list.tsx';
import { RejectsLink } from './rejects-link.tsx';
import { RunAgain } from './run-again.tsx';
import { useImport } from './use-import.ts';
import './imports.css';

export function ImportPage() {
  const { importLogId = '' } = useParams<{ importLogId: string }>();
  const { log, files, job, audienceAddress, progress, problem } = useImport(importLogId);
  if (audienceAddress !== undefined) return <Redirect to={audienceAddress} replace />;
  if (log === undefined) {
    return (
      <Page
        title={`Import ${importLogId}`}
        actions={<ButtonLink href="/console/imports">All imports</ButtonLink>}
      >
        <ProblemNote problem={problem} />
      </Page>
    );
  }

  const problems = log.errors ?? [];
  const address = `/v1/marketplace/import/${log.import_log_id}`;
  return (
    <Page
      title={`${importKind(log)} ${log.import_log_id}`}
      subtitle={<bdi className="path">{log.file_path}</bdi>}
      actions={
        <>
          <RejectsLink address={address} problems={problems} />
          <RunAgain log={log} />
        </>
      }
    >
      <ProblemNote problem={problem} />
      <ImportSummary log={log} job={job} progress={progress} />
      {problems.length > 0 && (
        <Panel title="Problems">
          <ProblemList problems={problems} />
        </Panel>
      )}
      {log.keys === null && log.log_type !== 3 && (
        <Panel title="Files">
          {files === undefined || files.length === 0 ? (
            <p className="muted">
              {log.status === 0 ? 'Files are listed when the import starts.' : 'No files found.'}
            </p>
          ) : (
            <FilesTable
              files={files}
              columns={[
                countColumn('Rows', 'total_rows'),
                countColumn('Rejected', 'rejected_rows'),
              ]}
            />
          )}
        </Panel>
      )}
      {log.keys !== null && (
        <Panel title="Deleted keys">
          <DeletedKeys keys={log.keys} />
        </Panel>
      )}
    </Page>
  );
}

function DeletedKeys({ keys }: { readonly keys: readonly string[] }) {
  return (
    <FirstItems all={keys} limit={200}>
      {(shown) => (
        <ul className="keys">
          {shown.map((key) => (
            <li key={key}>
              <code className="sample">
                <bdi>{key}</bdi>
              </code>
            </li>
          ))}
        </ul>
      )}
    </FirstItems>
  );
}
