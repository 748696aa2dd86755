import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Figure } from '../imports/figure.tsx';
import { importAddress } from '../imports/jobs.ts';
import { type Attribute, deletionLoses, loadAttribute } from './attribute.ts';
import { AttributeDialog } from './attribute-dialog.tsx';
import { AttributeHistory } from './attribute-history.tsx';
import '../imports/imports.css';

export function AttributePage() {
  const { attributeId = '' } = useParams<{ attributeId: string }>();
  const api = useApi();
  const { data, problem, reload } = useAnswer(
    () => loadAttribute(api, attributeId),
    [api, attributeId],
  );
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const back = <ButtonLink href="/console/attributes">All attributes</ButtonLink>;
  if (data === undefined) {
    return (
      <Page title="Attribute" actions={back}>
        <ProblemNote problem={problem} />
      </Page>
    );
  }

  const { attribute, changes } = data;
  const close = () => setOpen(undefined);
  return (
    <Page
      title={attribute.name}
      subtitle={attribute.description === '' ? undefined : <bdi>{attribute.description}</bdi>}
      actions={
        <>
          {back}
          <Button onClick={() => setOpen('edit')}>Edit</Button>
          <Button kind="danger" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <ProblemNote problem={problem} />
      <Panel>
        <dl className="figures">
          <Figure name="Devices">{count(attribute.unique_devices)}</Figure>
          <Figure name="Your key">
            {attribute.partner_foreign_key === null ? (
              <span className="muted">None</span>
            ) : (
              <bdi className="path">{attribute.partner_foreign_key}</bdi>
            )}
          </Figure>
          <Figure name="Attribute ID">{attribute.attribute_id}</Figure>
          <Figure name="Created">
            <Moment at={attribute.created_at} />
          </Figure>
          <Figure name="Updated">
            <Moment at={attribute.updated_at} />
          </Figure>
        </dl>
      </Panel>
      <AttributeHistory changes={changes} />
      {open === 'edit' && (
        <AttributeDialog attribute={attribute} onSaved={reload} onClose={close} />
      )}
      {open === 'delete' && <DeleteDialog attribute={attribute} onClose={close} />}
    </Page>
  );
}

interface DeleteDialogProps {
  readonly attribute: Attribute;
  onClose(): void;
}

/** Asks for confirmation and says what will be gone. */
function DeleteDialog({ attribute, onClose }: DeleteDialogProps) {
  const api = useApi();
  const [, navigate] = useLocation();

  async function remove(): Promise<void> {
    const params = { path: { attribute_id: String(attribute.attribute_id) } };
    const { import_log_id } = await answerOf(
      api.DELETE('/v1/marketplace/attribute/{attribute_id}', { params }),
    );
    navigate(importAddress(import_log_id));
  }

  return (
    <ConfirmDialog
      title="Delete this attribute?"
      confirmLabel="Delete for good"
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        <strong>
          <bdi>{attribute.name}</bdi>
        </strong>{' '}
        will be deleted when its job runs. This cannot be undone.
      </p>
      <ul>
        {deletionLoses(attribute).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
