import type { Ref } from 'react';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { generatePassword } from './generated-password.ts';

export interface NewPasswordFieldProps {
  readonly password: string;
  readonly ref?: Ref<HTMLInputElement>;
  onPassword(password: string): void;
}

/** Shown in clear text, because the operator hands the password over to the user. */
export function NewPasswordField({ password, ref, onPassword }: NewPasswordFieldProps) {
  return (
    <div className="operator-password">
      <TextField
        {...(ref === undefined ? {} : { ref })}
        label="Password"
        hint="12 to 256 characters."
        required
        minLength={12}
        maxLength={256}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={password}
        onChange={(event) => onPassword(event.target.value)}
      />
      <Button onClick={() => onPassword(generatePassword())}>Generate</Button>
    </div>
  );
}
