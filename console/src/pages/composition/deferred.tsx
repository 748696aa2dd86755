import { type ReactNode, useDeferredValue } from 'react';

/** Content below the first screen, rendered after the first paint. Its height is reserved. */
export function Deferred({ height, children }: { height: number; children: ReactNode }) {
  const isTime = useDeferredValue(true, false);
  return isTime ? children : <div style={{ height }} />;
}
