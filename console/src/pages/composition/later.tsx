import { type ReactNode, useDeferredValue } from 'react';

/**
 * What lies below the first screen, built right after that is painted. Its room is kept free, so
 * that nothing moves when it comes.
 */
export function Later({ height, children }: { height: number; children: ReactNode }) {
  const isTime = useDeferredValue(true, false);
  return isTime ? children : <div style={{ height }} />;
}
