import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Longer than the two clicks of a double click are apart. */
const settlingMs = 500;

/** Whether the window has had the focus for long enough that a click in it is meant for it. */
export function useInFront(): boolean {
  const [isInFront, setInFront] = useState(false);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const settle = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setInFront(true), settlingMs);
    };
    const settleAnew = () => {
      // At once, for the click may be the very next event.
      flushSync(() => setInFront(false));
      settle();
    };
    settle();
    window.addEventListener('focus', settleAnew);
    document.addEventListener('visibilitychange', settleAnew);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', settleAnew);
      document.removeEventListener('visibilitychange', settleAnew);
    };
  }, []);

  return isInFront;
}
