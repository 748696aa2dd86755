import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';

/** Browsers limit how often the address may change, so wait for a pause in typing. */
const pauseMs = 300;

type Values<Name extends string> = Readonly<Record<Name, string>>;

/** Filters of a page, kept in the query of its address. An empty text is left out. */
export function useQuery<Name extends string>(
  ...names: readonly Name[]
): [Values<Name>, (change: Partial<Values<Name>>) => void] {
  const [path, navigate] = useLocation();
  const [values, setValues] = useState(() => {
    const query = new URLSearchParams(window.location.search);
    return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Values<Name>;
  });

  useEffect(() => {
    const set = Object.entries<string>(values).filter(([, value]) => value !== '');
    const wanted = new URLSearchParams(set).toString();
    if (wanted === window.location.search.slice(1)) return;
    const timer = setTimeout(
      () => navigate(wanted === '' ? path : `${path}?${wanted}`, { replace: true }),
      pauseMs,
    );
    return () => clearTimeout(timer);
  }, [values, path, navigate]);

  return [values, (change) => setValues((before) => ({ ...before, ...change }))];
}
