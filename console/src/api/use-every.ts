import { useEffect } from 'react';

/**
 * Calls `act` periodically while the tab is visible, and at once when it becomes visible after a
 * longer time. `act` must stay the same function.
 */
export function useEvery(seconds: number, act: () => void): void {
  useEffect(() => {
    const pauseMs = seconds * 1_000;
    let dueAt = Date.now() + pauseMs;
    let timer: number | undefined;

    function tick(): void {
      window.clearTimeout(timer);
      if (document.visibilityState !== 'visible') return;
      if (Date.now() >= dueAt) {
        act();
        dueAt = Date.now() + pauseMs;
      }
      timer = window.setTimeout(tick, dueAt - Date.now());
    }

    tick();
    document.addEventListener('visibilitychange', tick);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [seconds, act]);
}
