import { type Command, Option } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { AddAction } from '../commands/add-action.ts';
import { findCustomerId, findPartnerId } from '../connect/find-by-name.ts';
import { printStream, table, time } from '../output/print.ts';

interface AuditOptions {
  readonly actor?: 'operator' | 'partner' | 'user' | 'app';
  readonly partner?: string;
  readonly customer?: string;
  readonly action?: string;
  readonly changes?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
  readonly jsonl?: boolean;
}

export function addAuditCommand(audit: Command, addAction: AddAction): void {
  addAction(
    audit
      .addOption(
        new Option('--actor <kind>', 'only calls of this kind of caller').choices([
          'operator',
          'partner',
          'user',
          'app',
        ]),
      )
      .option('--partner <partner>', 'only calls of this partner and its apps')
      .option('--customer <customer>', 'only calls of or for this customer')
      .option('--action <operation>', 'only this operation, such as "POST /admin/v1/partners"')
      .option('--changes', 'leave out read-only calls')
      .option(
        '--since <time>',
        'only calls since a date, or a time in UTC such as 2026-01-31T12:00Z',
      )
      .option('--until <time>', 'only calls before a date or time')
      .option('--limit <entries>', 'how many of the latest entries to list', '100')
      .option('--jsonl', 'print every entry, with before and after, as one JSON object per line'),
    async (client, options: AuditOptions) => {
      const filter = await filterOf(client, options);
      if (options.jsonl) {
        await printLines(client, filter);
        return undefined;
      }
      const query = { ...filter, limit: Number(options.limit) };
      const entries = await answerOf(client.GET('/admin/v1/audit', { params: { query } }));
      const rows = entries.map((entry) => ({
        when: time(entry.called_at),
        who: whoOf(entry),
        from: entry.remote_address,
        action: entry.action,
        target: entry.target,
        status: entry.status === null ? '-' : String(entry.status),
      }));
      return { answer: entries, text: table(rows, 'There are no entries.') };
    },
  );
}

async function filterOf(client: TributaryClient, options: AuditOptions) {
  const { actor, partner, customer, action, changes, since, until } = options;
  return {
    ...(actor && { actor }),
    ...(partner && { partner_id: await findPartnerId(client, partner) }),
    ...(customer && { customer_id: await findCustomerId(client, customer) }),
    ...(action && { action }),
    ...(changes && { changes: 'true' as const }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

async function printLines(
  client: TributaryClient,
  query: Awaited<ReturnType<typeof filterOf>>,
): Promise<void> {
  await printStream(
    await answerOf(client.GET('/admin/v1/audit/export', { params: { query }, parseAs: 'stream' })),
  );
}

interface Caller {
  readonly actor: string;
  readonly partner_name: string | null;
  readonly api_key_id: number | null;
  readonly api_key_label: string | null;
  readonly access_key_id: string | null;
  readonly email: string | null;
  readonly user_id: number | null;
  readonly app_name: string | null;
  readonly client_id: string | null;
}

/** An upload link has the access key of the service, and belongs to an API key. */
function keyOf({ api_key_label, api_key_id, access_key_id }: Caller): string {
  return api_key_label || String(api_key_id ?? access_key_id);
}

function whoOf(entry: Caller): string {
  switch (entry.actor) {
    case 'partner':
      return `${entry.partner_name}, key ${keyOf(entry)}`;
    case 'user':
      return entry.email ?? `user ${entry.user_id}`;
    case 'app':
      return `${entry.app_name ?? entry.client_id} for ${entry.email ?? `user ${entry.user_id}`}`;
    default:
      return entry.actor;
  }
}
