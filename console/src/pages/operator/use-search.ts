import { useState } from 'react';
import { matching } from './search.ts';

/** What a page shows without being asked for more: browsers lay out tables of thousands slowly. */
const shownAtOnce = 100;

export interface Search<T> {
  readonly searched: string;
  readonly total: number;
  readonly found: readonly T[];
  /** Those of the found that are in view. */
  readonly shown: readonly T[];
  setSearched(text: string): void;
  showAll(): void;
}

/** A list that may be long: searched in, and cut until all of it is asked for. */
export function useSearch<T>(
  all: readonly T[],
  textsOf: (each: T) => readonly string[],
): Search<T> {
  const [searched, setSearched] = useState('');
  const [isWhole, setWhole] = useState(false);
  const found = matching(all, searched, textsOf);
  return {
    searched,
    total: all.length,
    found,
    shown: isWhole ? found : found.slice(0, shownAtOnce),
    setSearched,
    showAll: () => setWhole(true),
  };
}
