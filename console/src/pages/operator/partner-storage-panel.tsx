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
import { storageUsed } from '../uploads/storage-used.ts';
import { DialogForm } from './dialog-form.tsx';
import { useFocus } from './use-focus.ts';

const storagePath = '/admin/v1/partners/{partner_id}/storage';
const gibibyte = 1024 ** 3;

/** How much the partner stores, and how much it may store. */
export function PartnerStoragePanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const params = { path: { partner_id: partnerId } };
  const storage = useAnswer(() => answerOf(api.GET(storagePath, { params })), [partnerId]);
  const [isChanging, setChanging] = useState(false);
  return (
    <Panel
      title="Storage"
      actions={<Button onClick={() => setChanging(true)}>Change the quota</Button>}
    >
      <ProblemNote problem={storage.problem} />
      {storage.data && (
        <dl className="operator-facts">
          <dt>Stored</dt>
          <dd>{storageUsed(storage.data)}</dd>
          <dt>Open uploads</dt>
          <dd>{count(storage.data.open_uploads)}</dd>
        </dl>
      )}
      {isChanging && (
        <QuotaDialog
          onQuota={async (quota) => {
            await answerOf(api.PATCH(storagePath, { params, body: { quota } }));
            storage.reload();
            setChanging(false);
          }}
          onClose={() => setChanging(false)}
        />
      )}
    </Panel>
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
