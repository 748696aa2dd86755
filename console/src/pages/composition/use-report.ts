import { useEffect, useRef } from 'react';
import { useApi } from '../../api/session.tsx';
import { type Answer, useAnswer } from '../../api/use-answer.ts';
import { refreshAfter } from './refreshing.ts';
import { loadReport, type Report } from './report.ts';

/** The report of a segment, reloaded periodically while the page is visible. */
export function useReport(segmentId: string, baseline: string): Answer<Report> {
  const api = useApi();
  const answer = useAnswer(() => loadReport(api, segmentId, baseline), [api, segmentId, baseline]);
  const report = useStable(answer.data);
  const { isWaiting, reload } = answer;
  const afterMs = refreshAfter({
    status: report?.audience.status ?? 2,
    isStale: report?.composition?.stale,
    isCounting: report?.baselineProblem?.code === 'not_computed_yet',
  });

  useEffect(() => {
    if (isWaiting) return;
    const over = new AbortController();
    const timer = setTimeout(() => {
      if (document.visibilityState === 'visible') return reload();
      document.addEventListener('visibilitychange', reload, { once: true, signal: over.signal });
    }, afterMs);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [isWaiting, afterMs, reload]);

  return { ...answer, data: report };
}

/** Keeps the previous object if the new one is equal, so nothing that depends on it renders again. */
function useStable<T>(value: T): T {
  const kept = useRef(value);
  const hasNone = kept.current === undefined || value === undefined;
  if (hasNone || JSON.stringify(kept.current) !== JSON.stringify(value)) kept.current = value;
  return kept.current;
}
