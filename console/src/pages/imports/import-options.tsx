import { SelectField } from '../../parts/field.tsx';
import type { ImportRequest } from './import-body.ts';

interface ImportOptionsProps {
  readonly request: ImportRequest;
  onChange(change: Partial<ImportRequest>): void;
}

export function KeyTypeField({ request, onChange }: ImportOptionsProps) {
  return (
    <SelectField
      label="Keys in the files"
      value={request.key_type}
      onChange={(event) => onChange({ key_type: event.currentTarget.value === '0' ? 0 : 1 })}
    >
      <option value={1}>Your own keys for attributes</option>
      <option value={0}>Tributary’s attribute IDs</option>
    </SelectField>
  );
}

export function ModeField({ request, onChange }: ImportOptionsProps) {
  return (
    <SelectField
      label="Existing devices of the attributes"
      value={request.mode}
      onChange={({ currentTarget }) =>
        onChange({ mode: currentTarget.value === 'replace' ? 'replace' : 'merge' })
      }
    >
      <option value="merge">Merge: add or remove the devices in the files</option>
      <option value="replace">Replace: keep only the devices in the files</option>
    </SelectField>
  );
}

export function DryRunField({ request, onChange }: ImportOptionsProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={request.dry_run}
        onChange={(event) => onChange({ dry_run: event.currentTarget.checked })}
      />
      Dry run: check the files without applying them
    </label>
  );
}
