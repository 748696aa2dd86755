import { DataTable, type DataTableProps } from '../../parts/data-table.tsx';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';

export interface SearchTableProps<T> extends DataTableProps<T> {
  readonly searchLabel: string;
  /** The texts of a row that a search looks in. */
  textsOf(row: NoInfer<T>): readonly string[];
}

/** A table with a search field once it has many rows. */
export function SearchTable<T>({ searchLabel, textsOf, ...table }: SearchTableProps<T>) {
  const search = useSearch(table.rows, textsOf);
  return (
    <>
      <SearchBar label={searchLabel} search={search} />
      <DataTable {...table} rows={search.shown} />
      <SearchRest search={search} />
    </>
  );
}
