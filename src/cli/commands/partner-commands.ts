import { type Command, InvalidArgumentError } from 'commander';
import { answerOf } from '../../client/client.ts';
import { asBytes } from '../../config/parsers.ts';
import { partnerPath } from '../connect/find-by-name.ts';
import { bytes, card, table, withWarnings } from '../output/print.ts';
import { accessText, addPartnerAccessCommands } from './access-commands.ts';
import type { AddAction } from './add-action.ts';

interface QuotaOption {
  readonly storageQuota?: number | null;
}

const quotaHelp = 'bytes it may keep in the embedded object store, such as 200GB, or none';

export function addPartnerCommands(partner: Command, addAction: AddAction): void {
  addAction(
    partner
      .command('create <name>')
      .description('create a partner')
      .option('--storage-quota <size>', quotaHelp, readQuota),
    async (client, name: string, { storageQuota = null }: QuotaOption) => {
      const body = { name, storage_quota: storageQuota };
      const answer = await answerOf(client.POST('/admin/v1/partners', { body }));
      const { warnings, ...created } = answer;
      const id = String(created.partner_id);
      const next = `Create an API key for it: tributary key create ${id}`;
      const text = `${card({ ...created, partner_id: id })}\n\n${next}`;
      return { answer, text: withWarnings(warnings, text) };
    },
  );

  addAction(
    partner
      .command('update <partner>')
      .description('change how much a partner may store')
      .requiredOption('--storage-quota <size>', quotaHelp, readQuota),
    async (client, idOrName: string, { storageQuota = null }: QuotaOption) => {
      const path = await partnerPath(client, idOrName);
      const answer = await answerOf(
        client.PATCH('/admin/v1/partners/{partner_id}/storage', {
          params: { path },
          body: { quota: storageQuota },
        }),
      );
      return { answer, text: storageText(answer) };
    },
  );

  addAction(
    partner.command('storage <partner>').description('show how much a partner stores'),
    async (client, idOrName: string) => {
      const path = await partnerPath(client, idOrName);
      const answer = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/storage', { params: { path } }),
      );
      return { answer, text: storageText(answer) };
    },
  );

  addAction(partner.command('list').description('list all partners'), async (client) => {
    const partners = await answerOf(client.GET('/admin/v1/partners'));
    const rows = partners.map((each) => ({
      id: each.partner_id,
      name: each.name,
      bucket: each.bucket,
      prefix: each.prefix,
      created: each.created_at,
      access: accessText(each),
    }));
    return { answer: partners, text: table(rows, 'There are no partners yet.') };
  });

  addPartnerAccessCommands(partner, addAction);
}

/** Null for `none`. */
function readQuota(text: string): number | null {
  if (text === 'none') return null;
  const quota = asBytes.parse(text);
  if (quota === undefined) throw new InvalidArgumentError(`It must be none or ${asBytes.wanted}.`);
  return quota;
}

function storageText(storage: {
  bytes: number;
  quota: number | null;
  open_uploads: number;
}): string {
  return card({
    stored: bytes(storage.bytes),
    quota: storage.quota === null ? 'none' : bytes(storage.quota),
    'open uploads': storage.open_uploads,
  });
}
