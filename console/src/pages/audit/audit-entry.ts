import type { Answered } from '../../api/wire.ts';

export type AuditEntry = Answered<'/admin/v1/audit'>[number];

type Caller = Pick<
  AuditEntry,
  | 'actor'
  | 'partner_name'
  | 'api_key_id'
  | 'api_key_label'
  | 'access_key_id'
  | 'email'
  | 'user_id'
  | 'app_name'
  | 'client_id'
>;

/** Who called, in words: a name, and what kind of caller it is. */
export function callerOf(entry: Caller): { name: string; kind: string } {
  const user = entry.email ?? `user ${entry.user_id}`;
  switch (entry.actor) {
    case 'operator':
      return { name: 'Operator', kind: 'Admin token' };
    case 'partner': {
      const name = entry.partner_name ?? 'a removed partner';
      // An upload link has an access key of the service, and belongs to an API key.
      if (entry.api_key_id === null) return { name, kind: `Access key ${entry.access_key_id}` };
      return { name, kind: `API key ${entry.api_key_label || entry.api_key_id}` };
    }
    case 'user':
      return { name: user, kind: 'User' };
    case 'app':
      return { name: entry.app_name ?? entry.client_id ?? 'an app', kind: `App for ${user}` };
  }
}
