import { type FormEvent, useRef, useState } from 'react';
import { answerOf, fieldProblem } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useInvalidFocus } from '../../parts/use-invalid-focus.ts';
import type { Attribute } from './attribute.ts';

interface AttributeDialogProps {
  /** The attribute to change; if omitted, a new one is created. */
  readonly attribute?: Attribute;
  onSaved(attributeId: number): void;
  onClose(): void;
}

const fields = ['name', 'description', 'partner_foreign_key'];

/** Creates or changes an attribute. */
export function AttributeDialog({ attribute, onSaved, onClose }: AttributeDialogProps) {
  const api = useApi();
  const form = useRef<HTMLFormElement>(null);
  const [name, setName] = useState(attribute?.name ?? '');
  const [description, setDescription] = useState(attribute?.description ?? '');
  const [key, setKey] = useState(attribute?.partner_foreign_key ?? '');

  const saving = useAction(async () => {
    const attributeId = attribute === undefined ? await create() : await change(attribute);
    onClose();
    onSaved(attributeId);
  });
  useInvalidFocus(form, saving.problem);

  async function create(): Promise<number> {
    const body = { name, description, ...(key === '' ? {} : { partner_foreign_key: key }) };
    const created = await answerOf(api.POST('/v1/marketplace/attribute', { body }));
    if ('attribute_id' in created) return created.attribute_id;
    throw new Error('The service created no single attribute.');
  }

  async function change({ attribute_id }: Attribute): Promise<number> {
    const params = { path: { attribute_id: String(attribute_id) } };
    const body = { name, description, partner_foreign_key: key === '' ? null : key };
    await answerOf(api.PATCH('/v1/marketplace/attribute/{attribute_id}', { params, body }));
    return attribute_id;
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void saving.run();
  }

  const { problem } = saving;
  const isAtField = fields.some((field) => fieldProblem(problem, field) !== undefined);
  return (
    <Dialog title={attribute === undefined ? 'New attribute' : 'Edit attribute'} onClose={onClose}>
      <form className="form" ref={form} onSubmit={submit}>
        <TextField
          label="Name"
          hint="Separate the levels of a hierarchy with “ > ”, as in Autos > Intenders."
          problem={fieldProblem(problem, 'name')}
          value={name}
          required
          maxLength={255}
          autoComplete="off"
          dir="auto"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label="Description"
          hint="Optional."
          problem={fieldProblem(problem, 'description')}
          value={description}
          maxLength={4096}
          autoComplete="off"
          dir="auto"
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <TextField
          label="Your key"
          hint="Optional. Your files can use it instead of the attribute ID."
          problem={fieldProblem(problem, 'partner_foreign_key')}
          value={key}
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <ProblemNote problem={problem} isAtField={isAtField} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={saving.isRunning}>
            {attribute === undefined ? 'Create' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
