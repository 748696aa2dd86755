import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { QuotaFacts, type QuotaFactsProps } from '../usage/quota-facts.tsx';
import '../usage/usage.css';
import { DialogForm } from './dialog-form.tsx';

const quotasPath = '/admin/v1/partners/{partner_id}/quotas';

type Quotas = QuotaFactsProps['quotas'];

/** How much the partner may use, besides the object store. */
export function QuotasPanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const params = { path: { partner_id: partnerId } };
  const quotas = useAnswer(() => answerOf(api.GET(quotasPath, { params })), [partnerId]);
  const [isChanging, setChanging] = useState(false);
  return (
    <Panel
      title="Quotas"
      actions={<Button onClick={() => setChanging(true)}>Change the quotas</Button>}
    >
      <ProblemNote problem={quotas.problem} />
      {quotas.data && <QuotaFacts quotas={quotas.data} />}
      {isChanging && quotas.data && (
        <QuotasDialog
          quotas={quotas.data}
          onQuotas={async (body) => {
            await answerOf(api.PATCH(quotasPath, { params, body }));
            quotas.reload();
            setChanging(false);
          }}
          onClose={() => setChanging(false)}
        />
      )}
    </Panel>
  );
}

interface QuotasDialogProps {
  readonly quotas: Quotas;
  onQuotas(quotas: Quotas): Promise<unknown>;
  onClose(): void;
}

const labels = [
  ['requests', 'Requests per month'],
  ['rows', 'Rows per month'],
  ['devices', 'Devices in all attributes and audiences'],
] as const satisfies [keyof Quotas, string][];

function QuotasDialog({ quotas, onQuotas, onClose }: QuotasDialogProps) {
  const [texts, setTexts] = useState(() => ({
    requests: textOf(quotas.requests),
    rows: textOf(quotas.rows),
    devices: textOf(quotas.devices),
  }));
  const changing = useAction(() =>
    onQuotas({
      requests: quotaOf(texts.requests),
      rows: quotaOf(texts.rows),
      devices: quotaOf(texts.devices),
    }),
  );
  return (
    <Dialog title="Quotas" onClose={onClose}>
      <DialogForm
        submitLabel="Save"
        submitting={changing}
        onSubmit={() => void changing.run()}
        onClose={onClose}
      >
        <p>
          Leave a field empty for no quota. Beyond a quota, requests and loads are refused; nothing
          is deleted.
        </p>
        {labels.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            type="number"
            min="0"
            step="1"
            value={texts[name]}
            onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
          />
        ))}
      </DialogForm>
    </Dialog>
  );
}

function textOf(quota: number | null): string {
  return quota === null ? '' : String(quota);
}

function quotaOf(text: string): number | null {
  return text === '' ? null : Number(text);
}
