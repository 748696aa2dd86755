import { useState } from 'react';

export const pageSize = 20;

/** How many rows of a list are shown, beginning anew whenever the list is another one. */
export function useShown(list: string, first = pageSize): [number, (shown: number) => void] {
  const [state, setState] = useState({ list, shown: first });
  const shown = state.list === list ? state.shown : first;
  return [shown, (next) => setState({ list, shown: next })];
}
