import { Redirect, useParams } from 'wouter';
import { ButtonLink } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { FirstOnes } from './first-ones.tsx';
import { ImportFiles } from './import-files.tsx';
import { ImportSummary } from './import-summary.tsx';
import { importKind } from './job-words.ts';
import { ProblemList } from './problem-list.tsx';
import { RejectsLink } from './rejects-link.tsx';
import { useImport } from './use-import.ts';
import './imports.css';

export function ImportPage() {
  const { importLogId = '' } = useParams<{ importLogId: string }>();
  const { log, files, elsewhere, progress, problem } = useImport(importLogId);
  if (elsewhere !== undefined) return <Redirect to={elsewhere} replace />;
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
      actions={<RejectsLink address={address} problems={problems} />}
    >
      <ProblemNote problem={problem} />
      <ImportSummary log={log} progress={progress} />
      {problems.length > 0 && (
        <Panel title="Problems">
          <ProblemList problems={problems} />
        </Panel>
      )}
      {log.keys === null ? (
        <Panel title="Files">
          {files === undefined || files.length === 0 ? (
            <p className="muted">
              {log.status === 0
                ? 'The path is looked up when its turn has come.'
                : 'There are no files.'}
            </p>
          ) : (
            <ImportFiles files={files} />
          )}
        </Panel>
      ) : (
        <Panel title="Keys whose data is deleted">
          <DeletedKeys keys={log.keys} />
        </Panel>
      )}
    </Page>
  );
}

function DeletedKeys({ keys }: { readonly keys: readonly string[] }) {
  return (
    <FirstOnes all={keys} atFirst={200}>
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
    </FirstOnes>
  );
}
