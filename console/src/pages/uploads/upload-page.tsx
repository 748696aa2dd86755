import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { TextField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ConfirmLeave } from './confirm-leave.tsx';
import { DropZone } from './drop-zone.tsx';
import { ImportAll } from './import-all.tsx';
import { NextSteps } from './next-steps.tsx';
import { keptInWords, storageUsed } from './storage-used.ts';
import { commonFolder } from './upload-place.ts';
import { UploadRow } from './upload-row.tsx';
import { useUploads } from './use-uploads.ts';
import '../imports/imports.css';
import './uploads.css';

export function UploadPage() {
  const { prefix } = useSession();
  const api = useApi();
  const storage = useAnswer(() => answerOf(api.GET('/v1/console/storage')), []);
  const { uploads, list, isBusy } = useUploads();
  const [folder, setFolder] = useState('');
  const uploaded = list.filter(({ state }) => state === 'done').map(({ path }) => path);
  const together = isBusy ? null : commonFolder(uploaded);

  return (
    <Page
      title="Upload files"
      subtitle="Upload files to your part of the bucket, then import them or create an audience from them."
    >
      <Panel>
        <div className="upload-place">
          <TextField
            label="Folder"
            hint={
              <>
                Under <code>{prefix}</code>. Put files you want to load together in one folder.
                {storage.data && ` Stored: ${storageUsed(storage.data)}.`}
                {storage.data?.uploads_kept_days &&
                  ` ${keptInWords(storage.data.uploads_kept_days)}.`}
              </>
            }
            value={folder}
            placeholder="spring/"
            autoComplete="off"
            spellCheck={false}
            dir="auto"
            onChange={(event) => setFolder(event.currentTarget.value)}
          />
          <DropZone onFiles={(files) => uploads.add(files, folder)} />
        </div>
      </Panel>
      {list.length > 0 && (
        <Panel
          title="Files"
          actions={!isBusy && uploaded.length > 1 && <ImportAll paths={uploaded} />}
        >
          <ul className="uploads">
            {list.map((upload) => (
              <UploadRow key={upload.id} upload={upload} uploads={uploads} />
            ))}
          </ul>
          {together !== null && (
            <div className="uploads-together">
              <p>
                All files under <bdi className="path">{together}</bdi>, including those uploaded
                before:
              </p>
              <NextSteps path={together} />
            </div>
          )}
        </Panel>
      )}
      <ConfirmLeave isBusy={isBusy} />
    </Page>
  );
}
