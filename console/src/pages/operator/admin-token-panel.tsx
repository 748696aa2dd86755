import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { DialogForm } from './dialog-form.tsx';

const rotatePath = '/admin/v1/admin-token/rotate';

interface Rotated {
  readonly admin_token: string;
  readonly old_valid_until: string;
  readonly is_saved: boolean;
}

const hour = 3_600;

export interface AdminTokenPanelProps {
  /** Called when the sessions of other operators have ended. */
  onRotated(): void;
}

export function AdminTokenPanel({ onRotated }: AdminTokenPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const [rotated, setRotated] = useState<Rotated>();
  return (
    <Panel title="Admin token" actions={<Button onClick={() => setOpen(true)}>Replace</Button>}>
      <p className="muted">
        Operators sign in and call the API with it. After a replacement, the old token works for a
        time that you choose.
      </p>
      {isOpen && (
        <RotateDialog
          onRotated={(answer) => {
            setRotated(answer);
            setOpen(false);
            onRotated();
          }}
          onClose={() => setOpen(false)}
        />
      )}
      {rotated && <NewToken rotated={rotated} onClose={() => setRotated(undefined)} />}
    </Panel>
  );
}

interface RotateDialogProps {
  onRotated(rotated: Rotated): void;
  onClose(): void;
}

function RotateDialog({ onRotated, onClose }: RotateDialogProps) {
  const api = useApi();
  const [overlap, setOverlap] = useState(String(24 * hour));
  const rotating = useAction(async () => {
    const body = { overlap_seconds: Number(overlap) };
    onRotated(await answerOf(api.POST(rotatePath, { body })));
  });
  return (
    <Dialog title="Replace the admin token?" onClose={onClose}>
      <DialogForm
        submitLabel="Replace"
        submitting={rotating}
        onSubmit={() => void rotating.run()}
        onClose={onClose}
      >
        <p>
          All other sessions of operators end now. Programs with the old token work until the
          overlap ends.
        </p>
        <SelectField
          label="The old token stays valid for"
          value={overlap}
          onChange={(event) => setOverlap(event.target.value)}
        >
          <option value="0">0 hours: it ends now</option>
          <option value={hour}>1 hour</option>
          <option value={24 * hour}>24 hours</option>
          <option value={7 * 24 * hour}>7 days</option>
        </SelectField>
      </DialogForm>
    </Dialog>
  );
}

function NewToken({ rotated, onClose }: { readonly rotated: Rotated; onClose(): void }) {
  return (
    <Dialog title="New admin token" onClose={onClose}>
      <div className="dialog-body">
        <ShownOnce label="Admin token" value={rotated.admin_token} />
        <p>
          The old token is valid until <Moment at={rotated.old_valid_until} />.{' '}
          {rotated.is_saved
            ? 'The service has saved the new one in its data dir.'
            : 'Set TRIBUTARY_ADMIN_TOKEN to the new one for every process, and restart them at any time.'}
        </p>
      </div>
      <div className="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
