import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { count } from '../../parts/format.ts';
import type { Search } from './use-search.ts';

/** Shorter lists are easy to scan without a search. */
const minimumToSearch = 8;

interface SearchBarProps<T> {
  readonly label: string;
  readonly search: Search<T>;
}

export function SearchBar<T>({ label, search }: SearchBarProps<T>) {
  const { searched, total, found, setSearched } = search;
  if (total < minimumToSearch) return null;
  return (
    <search className="operator-search">
      <TextField
        label={label}
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={searched}
        onChange={(event) => setSearched(event.target.value)}
      />
      <p className="muted" role="status">
        {found.length === total
          ? `${count(total)} in total`
          : `${count(found.length)} of ${count(total)}`}
      </p>
    </search>
  );
}

/** Below a list that is truncated, or if nothing matches. */
export function SearchRest<T>({ search }: { readonly search: Search<T> }) {
  const { searched, found, shown, showAll } = search;
  if (found.length === 0) {
    return (
      <p className="operator-rest muted">
        No matches for <q>{searched.trim()}</q>.
      </p>
    );
  }
  if (found.length === shown.length) return null;
  return (
    <p className="operator-rest">
      <Button onClick={showAll}>Show all {count(found.length)}</Button>
    </p>
  );
}
