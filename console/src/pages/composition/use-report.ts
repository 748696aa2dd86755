import { useEffect, useRef } from 'react';
import { useApi } from '../../api/session.tsx';
import { type Answer, useAnswer } from '../../api/use-answer.ts';
import { refreshAfter } from './refreshing.ts';
import { loadReport, type Report } from './report.ts';

/** The report of a segment, looked for again from time to time while somebody can see it. */
export function useReport(segmentId: string): Answer<Report> {
  const api = useApi();
  const answer = useAnswer(() => loadReport(api, segmentId), [api, segmentId]);
  const report = useUnlessEqual(answer.data);
  const { isWaiting, reload } = answer;
  const afterMs = refreshAfter({
    status: report?.audience.status ?? 2,
    isStale: report?.composition?.stale,
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

/** The value seen before, if the new one says the same: what depends on it is then left alone. */
function useUnlessEqual<T>(value: T): T {
  const kept = useRef(value);
  const isNews = kept.current === undefined || value === undefined;
  if (isNews || JSON.stringify(kept.current) !== JSON.stringify(value)) kept.current = value;
  return kept.current;
}
