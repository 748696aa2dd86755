import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Longer than the time between the two clicks of a double click. */
const settlingMs = 500;

/** Whether the window has had the focus long enough that a click is intended for it. */
export function useFocusSettled(): boolean {
  const [isInFront, setInFront] = useState(false);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const settle = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setInFront(true), settlingMs);
    };
    const restart = () => {
      // Synchronously, because the click may be the very next event.
      flushSync(() => setInFront(false));
      settle();
    };
    settle();
    window.addEventListener('focus', restart);
    document.addEventListener('visibilitychange', restart);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', restart);
      document.removeEventListener('visibilitychange', restart);
    };
  }, []);

  return isInFront;
}
