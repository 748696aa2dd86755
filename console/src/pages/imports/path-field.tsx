import { useRef, useState } from 'react';
import { fieldProblem, type Problem } from '../../api/problem.ts';
import { useSession } from '../../api/session.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { FileBrowser } from '../files/file-browser.tsx';
import { folderOf } from '../files/folders.ts';

interface PathFieldProps {
  readonly value: string;
  readonly problem?: string | undefined;
  onChange(path: string): void;
}

/** The service's error message for the path, without the field's name. */
export function pathProblem(problem: Problem | undefined): string | undefined {
  return fieldProblem(problem, 'file_path')?.replace(/^file_path /, 'The path ');
}

/** The path to load, under the partner's own prefix: typed, or chosen among the uploaded files. */
export function PathField({ value, problem, onChange }: PathFieldProps) {
  const { prefix } = useSession();
  const [folder, setFolder] = useState<string>();
  const browse = useRef<HTMLButtonElement>(null);

  function choose(path: string): void {
    onChange(path);
    setFolder(undefined);
    // The entry that had the focus is gone.
    browse.current?.focus();
  }

  return (
    <div className="path-choice">
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
      <Button
        ref={browse}
        aria-expanded={folder !== undefined}
        onClick={() => setFolder(folder === undefined ? folderOf(value) : undefined)}
      >
        {folder === undefined ? 'Browse your files' : 'Hide your files'}
      </Button>
      {folder !== undefined && (
        <FileBrowser folder={folder} onFolder={setFolder} onChoose={choose} />
      )}
    </div>
  );
}
