import { count } from '../../parts/format.ts';
import { FirstItems } from './first-items.tsx';
import type { ImportLog } from './jobs.ts';
import { problemCost, problemTitle } from './problem-words.ts';

/** One kind of problem in one file of an import or an audience. */
export type FileProblem = NonNullable<ImportLog['errors']>[number];

/** The problems of files: what, where first, and how often. */
export function ProblemList({ problems }: { readonly problems: readonly FileProblem[] }) {
  return (
    <FirstItems all={problems} limit={20}>
      {(shown) => (
        <ul className="problems">
          {shown.map((problem) => (
            <li key={`${problem.code} ${problem.file}`}>
              <ProblemEntry problem={problem} />
            </li>
          ))}
        </ul>
      )}
    </FirstItems>
  );
}

function ProblemEntry({ problem }: { readonly problem: FileProblem }) {
  const { code, message, file, value } = problem;
  return (
    <>
      <p className="problem-head">
        <strong>{problemTitle(code)}</strong>
        <span className="problem-cost">{problemCost(code, problem.count)}</span>
      </p>
      <p dir="auto">{message}</p>
      {file !== null && (
        <p className="muted">
          {placeOf(problem)}
          <bdi className="path">{file}</bdi>
        </p>
      )}
      {value !== null && (
        <p className="muted">
          Value: <code className="sample">{value === '' ? '(empty)' : <bdi>{value}</bdi>}</code>
        </p>
      )}
    </>
  );
}

function placeOf({ line, column, count: times }: FileProblem): string {
  if (line === null) return 'In ';
  const first = times > 1 ? 'First in line' : 'In line';
  return `${first} ${count(line)}${column === null ? '' : `, column ${count(column)}`} of `;
}
