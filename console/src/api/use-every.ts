import { useEffect } from 'react';

/**
 * Acts again and again while the tab is in view; one that comes back into view after longer than
 * that acts at once. `act` must stay the same function.
 */
export function useEvery(seconds: number, act: () => void): void {
  useEffect(() => {
    const pauseMs = seconds * 1_000;
    let dueAt = Date.now() + pauseMs;
    let timer: number | undefined;

    function look(): void {
      window.clearTimeout(timer);
      if (document.visibilityState !== 'visible') return;
      if (Date.now() >= dueAt) {
        act();
        dueAt = Date.now() + pauseMs;
      }
      timer = window.setTimeout(look, dueAt - Date.now());
    }

    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [seconds, act]);
}
