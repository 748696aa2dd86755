import { useEffect } from 'react';

/** The service's clock may be slightly behind. */
const graceMs = 1_000;

/** Calls `act` at the given time, and when the browser restores the page from its cache. */
export function useReloadAt(at: string | undefined, act: () => void): void {
  useEffect(() => {
    if (at === undefined) return;
    const timer = setTimeout(act, Math.max(0, Date.parse(at) - Date.now()) + graceMs);
    const actIfRestored = ({ persisted }: PageTransitionEvent) => {
      if (persisted) act();
    };
    window.addEventListener('pageshow', actIfRestored);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pageshow', actIfRestored);
    };
  }, [at, act]);
}
