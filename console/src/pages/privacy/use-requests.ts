import { useState } from 'react';
import { answerOf, type Problem } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { PrivacyRequest } from './privacy-request.ts';

const pageSize = 50;

interface Requests {
  readonly listed: readonly PrivacyRequest[] | undefined;
  readonly problem: Problem | undefined;
  readonly hasMore: boolean;
  readonly isWaiting: boolean;
  showMore(): void;
}

/** Requests, newest first, page by page. */
export function useRequests(): Requests {
  const api = useApi();
  const load = (after?: number) => {
    const query = { limit: pageSize, ...(after ? { after } : {}) };
    return answerOf(api.GET('/admin/v1/privacy/requests', { params: { query } }));
  };
  const first = useAnswer(() => load(), []);
  const [later, setLater] = useState<readonly PrivacyRequest[][]>([]);
  const pages = first.data && [first.data, ...later];
  const last = pages?.at(-1);
  const more = useAction(async () => {
    const page = await load(last?.at(-1)?.request_id);
    setLater((known) => [...known, page]);
  });
  return {
    listed: pages?.flat(),
    problem: first.problem ?? more.problem,
    hasMore: last?.length === pageSize,
    isWaiting: more.isRunning,
    showMore: () => void more.run(),
  };
}
