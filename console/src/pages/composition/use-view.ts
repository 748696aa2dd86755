import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { queryOfView, type View, viewOfQuery } from './view.ts';

/** Browsers refuse to change the address at every key of somebody who types quickly. */
const quietMs = 300;

/** The view that the address asks for; the address follows when it is changed. */
export function useView(): [View, (view: View) => void] {
  const [path, navigate] = useLocation();
  const [view, setView] = useState(() => viewOfQuery(window.location.search));

  useEffect(() => {
    const wanted = queryOfView(view);
    if (wanted === window.location.search.slice(1)) return;
    const timer = setTimeout(
      () => navigate(wanted === '' ? path : `${path}?${wanted}`, { replace: true }),
      quietMs,
    );
    return () => clearTimeout(timer);
  }, [view, path, navigate]);

  return [view, setView];
}
