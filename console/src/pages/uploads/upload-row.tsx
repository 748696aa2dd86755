import { ProgressBar } from '../../parts/bars.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { bytes } from '../../parts/format.ts';
import { RequestLine } from '../../parts/request-line.tsx';
import { type State, StateBadge } from '../../parts/state-badge.tsx';
import { NextSteps } from './next-steps.tsx';
import { isUnderWay, type Upload, type Uploads } from './uploads.ts';

const looks: Readonly<Record<Upload['state'], { readonly state: State; readonly word: string }>> = {
  waiting: { state: 'pending', word: 'Waiting' },
  sending: { state: 'running', word: 'Uploading' },
  done: { state: 'done', word: 'Uploaded' },
  failed: { state: 'failed', word: 'Failed' },
  cancelled: { state: 'cancelled', word: 'Cancelled' },
  refused: { state: 'failed', word: 'Not uploaded' },
};

interface UploadRowProps {
  readonly upload: Upload;
  readonly uploads: Uploads;
}

export function UploadRow({ upload, uploads }: UploadRowProps) {
  const { id, file, path, state, problem, command } = upload;
  return (
    <li className="upload">
      <div className="upload-head">
        <bdi className="path">{path}</bdi>
        <span className="num muted">{sizeOf(upload)}</span>
        <StateBadge {...looks[state]} />
      </div>
      {isUnderWay(upload) && (
        <ProgressBar
          share={file.size === 0 ? null : upload.sentBytes / file.size}
          label={`Upload of ${path}`}
        />
      )}
      {problem !== null && (
        <>
          <p role="alert">{problem.text}</p>
          <RequestLine requestId={problem.requestId} />
        </>
      )}
      {command !== null && <CopyCommand command={command} />}
      <div className="upload-more">
        {state === 'done' && <NextSteps path={path} />}
        {isUnderWay(upload) && (
          <Button onClick={() => uploads.cancel(id)}>
            Cancel <span className="visually-hidden">the upload of {path}</span>
          </Button>
        )}
        {(state === 'failed' || state === 'cancelled') && (
          <Button onClick={() => uploads.retry(id)}>
            Try again <span className="visually-hidden">to upload {path}</span>
          </Button>
        )}
        {!isUnderWay(upload) && (
          <Button onClick={() => uploads.remove(id)}>
            Dismiss <span className="visually-hidden">{path}</span>
          </Button>
        )}
      </div>
    </li>
  );
}

function sizeOf({ state, sentBytes, file }: Upload): string {
  return state === 'sending' ? `${bytes(sentBytes)} of ${bytes(file.size)}` : bytes(file.size);
}
