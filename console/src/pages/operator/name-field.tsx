import { TextField, type TextFieldProps } from '../../parts/field.tsx';
import { useFocus } from './use-focus.ts';

export interface NameFieldProps extends Pick<TextFieldProps, 'hint' | 'problem'> {
  readonly name: string;
  onName(name: string): void;
}

/** The name field, the first of a dialog. */
export function NameField({ name, onName, ...rest }: NameFieldProps) {
  const field = useFocus<HTMLInputElement>();
  return (
    <TextField
      {...rest}
      ref={field}
      label="Name"
      required
      pattern=".*\S.*"
      maxLength={255}
      autoComplete="off"
      value={name}
      onChange={(event) => onName(event.target.value)}
    />
  );
}
