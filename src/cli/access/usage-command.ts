import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { AddAction } from '../commands/add-action.ts';
import { findPartnerId } from '../connect/find-by-name.ts';

interface UsageOptions {
  readonly partner?: string;
  readonly since?: string;
  readonly until?: string;
  readonly json?: boolean;
}

export function addUsageCommand(usage: Command, addAction: AddAction): void {
  addAction(
    usage
      .option('--partner <partner>', 'only this partner')
      .option('--since <month>', 'the first month, such as 2026-01; a year ago if left out')
      .option('--until <month>', 'the last month; this month if left out'),
    async (client, { partner, since, until, json = false }: UsageOptions) => {
      const query = {
        ...(partner && { partner_id: await findPartnerId(client, partner) }),
        ...(since && { since }),
        ...(until && { until }),
      };
      const params = { query };
      if (json)
        return { answer: await answerOf(client.GET('/admin/v1/usage', { params })), text: '' };
      const headers = { accept: 'text/csv' };
      const csv: unknown = await answerOf(
        client.GET('/admin/v1/usage', { params, headers, parseAs: 'text' }),
      );
      return { answer: csv, text: String(csv).trimEnd() };
    },
  );
}
