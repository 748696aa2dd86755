import { useEffect } from 'react';

/** Does something again and again, but not for a tab that nobody looks at. */
export function useEvery(pauseMs: number, act: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') act();
    }, pauseMs);
    return () => clearInterval(timer);
  }, [pauseMs, act]);
}
