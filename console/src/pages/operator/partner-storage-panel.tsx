import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { count } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { keptInWords, storageUsed } from '../uploads/storage-used.ts';
import { DialogForm } from './dialog-form.tsx';
import { useFocus } from './use-focus.ts';

const storagePath = '/admin/v1/partners/{partner_id}/storage';
const gibibyte = 1024 ** 3;

/** How much the partner stores, how much it may store, and for how long. */
export function PartnerStoragePanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const params = { path: { partner_id: partnerId } };
  const storage = useAnswer(() => answerOf(api.GET(storagePath, { params })), [partnerId]);
  const [changing, setChanging] = useState<'quota' | 'retention' | null>(null);
  const close = () => setChanging(null);
  async function change(body: StorageChange): Promise<void> {
    await answerOf(api.PATCH(storagePath, { params, body }));
    storage.reload();
    close();
  }
  return (
    <Panel
      title="Storage"
      actions={
        <>
          <Button onClick={() => setChanging('retention')}>Change the retention</Button>
          <Button onClick={() => setChanging('quota')}>Change the quota</Button>
        </>
      }
    >
      <ProblemNote problem={storage.problem} />
      {storage.data && (
        <dl className="operator-facts">
          <dt>Stored</dt>
          <dd>{storageUsed(storage.data)}</dd>
          <dt>Open uploads</dt>
          <dd>{count(storage.data.open_uploads)}</dd>
          <dt>Files</dt>
          <dd>{keptInWords(storage.data.uploads_kept_days)}</dd>
        </dl>
      )}
      {changing === 'quota' && (
        <QuotaDialog onQuota={(quota) => change({ quota })} onClose={close} />
      )}
      {changing === 'retention' && storage.data && (
        <RetentionDialog
          days={storage.data.upload_retention_days}
          onDays={(upload_retention_days) => change({ upload_retention_days })}
          onClose={close}
        />
      )}
    </Panel>
  );
}

interface StorageChange {
  readonly quota?: number | null;
  readonly upload_retention_days?: number | null;
}

interface RetentionDialogProps {
  readonly days: number | null;
  onDays(days: number | null): Promise<unknown>;
  onClose(): void;
}

function RetentionDialog({ days, onDays, onClose }: RetentionDialogProps) {
  const field = useFocus<HTMLInputElement>();
  const [text, setText] = useState(days === null ? '' : String(days));
  const changing = useAction(() => onDays(text === '' ? null : Number(text)));
  return (
    <Dialog title="Retention of uploads" onClose={onClose}>
      <DialogForm
        submitLabel="Save"
        submitting={changing}
        onSubmit={() => void changing.run()}
        onClose={onClose}
      >
        <TextField
          ref={field}
          label="Days after the last load"
          hint="Older files are deleted within an hour. 0 keeps files for good. Leave it empty for the number of the service."
          type="number"
          min="0"
          max="730"
          step="1"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}

interface QuotaDialogProps {
  onQuota(quota: number | null): Promise<unknown>;
  onClose(): void;
}

function QuotaDialog({ onQuota, onClose }: QuotaDialogProps) {
  const field = useFocus<HTMLInputElement>();
  const [text, setText] = useState('');
  const changing = useAction(() =>
    onQuota(text === '' ? null : Math.round(Number(text) * gibibyte)),
  );
  return (
    <Dialog title="Storage quota" onClose={onClose}>
      <DialogForm
        submitLabel="Save"
        submitting={changing}
        onSubmit={() => void changing.run()}
        onClose={onClose}
      >
        <TextField
          ref={field}
          label="Quota in GiB"
          hint="Leave it empty for no quota. Uploads beyond it are refused; nothing is deleted."
          type="number"
          min="0"
          max="1000000"
          step="any"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
