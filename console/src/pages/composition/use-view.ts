import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { queryOfView, type View, viewOfQuery } from './view.ts';

/** Browsers limit how often the address may change, so wait for a pause in typing. */
const pauseMs = 300;

/** The view in the address. Changing the view changes the address. */
export function useView(): [View, (view: View) => void] {
  const [path, navigate] = useLocation();
  const [view, setView] = useState(() => viewOfQuery(window.location.search));

  useEffect(() => {
    const wanted = queryOfView(view);
    if (wanted === window.location.search.slice(1)) return;
    const timer = setTimeout(
      () => navigate(wanted === '' ? path : `${path}?${wanted}`, { replace: true }),
      pauseMs,
    );
    return () => clearTimeout(timer);
  }, [view, path, navigate]);

  return [view, setView];
}
