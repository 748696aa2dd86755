import { useState } from 'react';
import { matching } from './search.ts';

/** Browsers are slow to lay out tables of thousands of rows. */
const initialLimit = 100;

export interface Search<T> {
  readonly searched: string;
  readonly total: number;
  readonly found: readonly T[];
  /** The matches that are in view. */
  readonly shown: readonly T[];
  setSearched(text: string): void;
  showAll(): void;
}

/** Searches a list that may be long, and truncates it until the user asks for all. */
export function useSearch<T>(
  all: readonly T[],
  textsOf: (each: T) => readonly string[],
): Search<T> {
  const [searched, setSearched] = useState('');
  const [showsAll, setShowsAll] = useState(false);
  const found = matching(all, searched, textsOf);
  return {
    searched,
    total: all.length,
    found,
    shown: showsAll ? found : found.slice(0, initialLimit),
    setSearched,
    showAll: () => setShowsAll(true),
  };
}
