import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { type Pages, usePages } from '../../api/use-pages.ts';
import { type GrantFilter, grantQuery } from './grant-filter.ts';
import type { Grant } from './wire.ts';

const pageSize = 100;

export interface Grants extends Pages<Grant> {
  revoke(grant: Grant): Promise<void>;
}

/** Grants, newest first, page by page. The filter must not change while the hook is mounted. */
export function useGrants(filter: GrantFilter): Grants {
  const api = useApi();
  const grants = usePages((after) => {
    const query = {
      ...grantQuery(filter),
      limit: pageSize,
      ...(after ? { after: Number(after) } : {}),
    };
    return api.GET('/admin/v1/oauth-grants', { params: { query } });
  });
  // Revoked grants are hidden instead of reloading, so the pages already shown stay in view.
  const [revoked, setRevoked] = useState<ReadonlySet<number>>(new Set());
  return {
    ...grants,
    listed: grants.listed?.filter(({ grant_id }) => !revoked.has(grant_id)),
    async revoke({ grant_id }) {
      const params = { path: { grant_id: String(grant_id) } };
      await answerOf(api.DELETE('/admin/v1/oauth-grants/{grant_id}', { params }));
      setRevoked((known) => new Set([...known, grant_id]));
    },
  };
}
