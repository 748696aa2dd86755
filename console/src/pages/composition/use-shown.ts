import { useState } from 'react';

export const pageSize = 20;

/** The number of rows shown of a list, reset whenever the list changes. */
export function useShown(list: string, first = pageSize): [number, (shown: number) => void] {
  const [state, setState] = useState({ list, shown: first });
  const shown = state.list === list ? state.shown : first;
  return [shown, (next) => setState({ list, shown: next })];
}
