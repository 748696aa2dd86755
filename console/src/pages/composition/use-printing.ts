import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** For components that are first rendered for the paper, and so miss the event. */
let current: Date | undefined;

/** The time at which the page is being printed, known before the browser lays out the paper. */
export function usePrinting(): Date | undefined {
  const [printedAt, setPrintedAt] = useState(current);
  useEffect(() => {
    const over = new AbortController();
    const { signal } = over;
    const begin = () => {
      current = new Date();
      flushSync(() => setPrintedAt(current));
    };
    const end = () => {
      current = undefined;
      setPrintedAt(undefined);
    };
    addEventListener('beforeprint', begin, { signal });
    addEventListener('afterprint', end, { signal });
    return () => over.abort();
  }, []);
  return printedAt;
}
