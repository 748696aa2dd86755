import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

const tickMs = 15_000;

const Now = createContext<Date | undefined>(undefined);

/** One clock for all relative times of a page, so they change together. */
export function Clock({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return <Now value={now}>{children}</Now>;
}

export function useNow(): Date {
  const now = useContext(Now);
  if (!now) throw new Error('useNow must be used inside Clock');
  return now;
}
