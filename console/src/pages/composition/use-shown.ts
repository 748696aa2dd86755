import { useState } from 'react';

export const pageSize = 20;

/** Each page of rows is a plot of its own, which a printer does not cut. */
export function inPages<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / pageSize) }, (_, page) =>
    rows.slice(page * pageSize, (page + 1) * pageSize),
  );
}

/** The number of rows shown of a list, reset whenever the list changes. */
export function useShown(list: string, first = pageSize): [number, (shown: number) => void] {
  const [state, setState] = useState({ list, shown: first });
  const shown = state.list === list ? state.shown : first;
  return [shown, (next) => setState({ list, shown: next })];
}
