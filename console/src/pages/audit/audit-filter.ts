import type { AuditEntry } from './audit-entry.ts';

/** The filter of the log, as it is in the address. The service validates it. */
export interface AuditFilter {
  readonly actor?: AuditEntry['actor'];
  readonly partner_id?: string;
  readonly action?: string;
  /** Whether calls that only read are listed as well. */
  readonly reads?: string;
  readonly since?: string;
  readonly until?: string;
}

const members = ['actor', 'partner_id', 'action', 'reads', 'since', 'until'] as const;

export function auditFilterIn(params: URLSearchParams): AuditFilter {
  return Object.fromEntries(
    members.flatMap((name) => {
      const value = params.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** As the API expects it. Reads are left out unless they are chosen. */
export function auditQuery({ reads, partner_id, ...others }: AuditFilter) {
  return {
    ...others,
    ...(partner_id === undefined ? {} : { partner_id: Number(partner_id) }),
    ...(reads === undefined ? { changes: 'true' as const } : {}),
  };
}
