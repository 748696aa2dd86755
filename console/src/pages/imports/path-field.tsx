import { fieldProblem, type Problem } from '../../api/problem.ts';
import { useSession } from '../../api/session.tsx';
import { TextField } from '../../parts/field.tsx';

interface PathFieldProps {
  readonly value: string;
  readonly problem?: string | undefined;
  onChange(path: string): void;
}

/** What the service says is wrong with a path, which it calls by the name of the field. */
export function pathProblem(problem: Problem | undefined): string | undefined {
  return fieldProblem(problem, 'file_path')?.replace(/^file_path /, 'The path ');
}

/** Names what is to be loaded, below the partner's own prefix. */
export function PathField({ value, problem, onChange }: PathFieldProps) {
  const { prefix } = useSession();
  return (
    <TextField
      label="Path"
      hint={`A file below ${prefix ?? 'your prefix'}, or what the paths of several begin with, such as spring/`}
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
