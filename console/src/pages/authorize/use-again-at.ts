import { useEffect } from 'react';

/** A moment's grace, for what ends then has not ended a little before. */
const graceMs = 1_000;

/** Acts once that time has come, and when the page is shown again as it was left. */
export function useAgainAt(at: string | undefined, act: () => void): void {
  useEffect(() => {
    if (at === undefined) return;
    const timer = setTimeout(act, Math.max(0, Date.parse(at) - Date.now()) + graceMs);
    const actIfKept = ({ persisted }: PageTransitionEvent) => {
      if (persisted) act();
    };
    window.addEventListener('pageshow', actIfKept);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pageshow', actIfKept);
    };
  }, [at, act]);
}
