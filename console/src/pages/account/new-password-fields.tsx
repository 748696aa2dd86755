import { TextField } from '../../parts/field.tsx';
import type { PasswordErrors } from './password-errors.ts';

/** A new password, typed twice. */
export function NewPasswordFields({ faults }: { readonly faults: PasswordErrors }) {
  return (
    <>
      <TextField
        label="New password"
        name="new"
        type="password"
        autoComplete="new-password"
        hint="12 to 256 characters. A long sentence is a good password."
        maxLength={256}
        required
        problem={faults.wanted}
      />
      <TextField
        label="New password again"
        name="again"
        type="password"
        autoComplete="new-password"
        maxLength={256}
        required
        problem={faults.again}
      />
    </>
  );
}
