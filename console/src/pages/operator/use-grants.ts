import { useState } from 'react';
import { answerOf, type Problem } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { type GrantFilter, grantQuery } from './grant-filter.ts';
import { nextBefore, pageSize } from './grant-pages.ts';
import type { Grant } from './wire.ts';

export interface Grants {
  /** Undefined until the first page is loaded. */
  readonly listed: readonly Grant[] | undefined;
  readonly problem: Problem | undefined;
  readonly hasMore: boolean;
  readonly isWaiting: boolean;
  showMore(): void;
  revoke(grant: Grant): Promise<void>;
}

/** Grants, newest first, page by page. The filter must not change while the hook is mounted. */
export function useGrants(filter: GrantFilter): Grants {
  const api = useApi();
  const load = (after?: number) => {
    const query = { ...grantQuery(filter), limit: pageSize, ...(after ? { after } : {}) };
    return answerOf(api.GET('/admin/v1/oauth-grants', { params: { query } }));
  };
  const first = useAnswer(() => load(), []);
  const [later, setLater] = useState<readonly Grant[][]>([]);
  // Revoked grants are hidden instead of reloading, so the pages already shown stay in view.
  const [revoked, setRevoked] = useState<ReadonlySet<number>>(new Set());
  const pages = first.data && [first.data, ...later];
  const next = nextBefore(pages ?? []);
  const more = useAction(async () => {
    const page = await load(next);
    setLater((known) => [...known, page]);
  });
  return {
    listed: pages?.flat().filter(({ grant_id }) => !revoked.has(grant_id)),
    problem: first.problem ?? more.problem,
    hasMore: next !== undefined,
    isWaiting: more.isRunning,
    showMore: () => void more.run(),
    async revoke({ grant_id }) {
      const params = { path: { grant_id: String(grant_id) } };
      await answerOf(api.DELETE('/admin/v1/oauth-grants/{grant_id}', { params }));
      setRevoked((known) => new Set([...known, grant_id]));
    },
  };
}
