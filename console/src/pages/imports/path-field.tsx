import { fieldProblem, type Problem } from '../../api/problem.ts';
import { useSession } from '../../api/session.tsx';
import { TextField } from '../../parts/field.tsx';

interface PathFieldProps {
  readonly value: string;
  readonly problem?: string | undefined;
  onChange(path: string): void;
}

/** The service's error message for the path, without the field's name. */
export function pathProblem(problem: Problem | undefined): string | undefined {
  return fieldProblem(problem, 'file_path')?.replace(/^file_path /, 'The path ');
}

/** The path to load, under the partner's own prefix. */
export function PathField({ value, problem, onChange }: PathFieldProps) {
  const { prefix } = useSession();
  return (
    <TextField
      label="Path"
      hint={`A file under ${prefix ?? 'your prefix'}, or a prefix such as spring/ to include several.`}
      problem={problem}
      value={value}
      required
      autoComplete="off"
      spellCheck={false}
      dir="auto"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
