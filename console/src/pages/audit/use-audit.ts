import { useState } from 'react';
import { answerOf, type Problem } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { AuditEntry } from './audit-entry.ts';

const pageSize = 100;

/** The query parameters of the filter, as the API takes them. */
export interface AuditFilter {
  readonly actor?: AuditEntry['actor'];
  readonly partner_id?: number;
  readonly changes?: 'true';
  readonly since?: string;
  readonly until?: string;
}

interface Entries {
  readonly listed: readonly AuditEntry[] | undefined;
  readonly problem: Problem | undefined;
  readonly hasMore: boolean;
  readonly isWaiting: boolean;
  showMore(): void;
}

/** Entries, newest first, page by page. The filter must not change while the hook is mounted. */
export function useAudit(filter: AuditFilter): Entries {
  const api = useApi();
  const load = (after?: number) => {
    const query = { ...filter, limit: pageSize, ...(after ? { after } : {}) };
    return answerOf(api.GET('/admin/v1/audit', { params: { query } }));
  };
  const first = useAnswer(() => load(), []);
  const [later, setLater] = useState<readonly AuditEntry[][]>([]);
  const pages = first.data && [first.data, ...later];
  const last = pages?.at(-1);
  const more = useAction(async () => {
    const page = await load(last?.at(-1)?.audit_entry_id);
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
