import { type Command, InvalidArgumentError, Option } from 'commander';
import { answerOf } from '../../client/client.ts';
import { asBytes } from '../../config/parsers.ts';
import { partnerPath } from '../connect/find-by-name.ts';
import { accessText } from '../output/access-text.ts';
import { bytes, card, count, table, time, withWarnings } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

const disclosureModes = ['exact', 'protected'] as const;
type DisclosureMode = (typeof disclosureModes)[number];

/** Not null for none, which commander would replace by an empty text. */
type Quota = number | 'none';

interface QuotaOption {
  readonly storageQuota?: Quota;
}

interface UpdateOptions extends QuotaOption {
  readonly name?: string;
  /** Days, or null for the number of the service. Not undefined, which is the option left out. */
  readonly uploadRetention?: { readonly days: number | null };
  readonly requestQuota?: Quota;
  readonly rowQuota?: Quota;
  readonly deviceQuota?: Quota;
  readonly disclosure?: DisclosureMode | 'default';
}

const quotaHelp = 'bytes it may keep in the embedded object store, such as 200GB, or none';

export function addPartnerCommands(partner: Command, addAction: AddAction): void {
  addAction(
    partner
      .command('create <name>')
      .description('create a partner')
      .option('--storage-quota <size>', quotaHelp, readQuota),
    async (client, name: string, { storageQuota = 'none' }: QuotaOption) => {
      const body = { name, storage_quota: sent(storageQuota) };
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
      .description(
        "change a partner's name, its quotas, what its reports reveal, or how long its uploads are kept",
      )
      .option('--name <name>', 'its new name')
      .option('--storage-quota <size>', quotaHelp, readQuota)
      .option('--request-quota <number>', 'requests per month, or none', readCount)
      .option('--row-quota <number>', 'rows loaded per month, or none', readCount)
      .option(
        '--device-quota <number>',
        'devices in all its attributes and audiences, or none',
        readCount,
      )
      .option(
        '--upload-retention <days>',
        'delete its uploads so long after they were last loaded, such as 30d; off, or default',
        readRetention,
      )
      .addOption(
        new Option(
          '--disclosure <mode>',
          "how reports show counts that depend on other partners' data; default: use TRIBUTARY_DISCLOSURE",
        ).choices([...disclosureModes, 'default']),
      ),
    async (client, idOrName: string, options: UpdateOptions) => {
      const params = { path: await partnerPath(client, idOrName) };
      const disclosurePath = '/admin/v1/partners/{partner_id}/disclosure';
      const { name } = options;
      if (name !== undefined) {
        await answerOf(client.PATCH('/admin/v1/partners/{partner_id}', { params, body: { name } }));
      }
      if (options.disclosure !== undefined) {
        const mode = options.disclosure === 'default' ? null : options.disclosure;
        await answerOf(client.PUT(disclosurePath, { params, body: { mode } }));
      }
      const { storageQuota: quota, uploadRetention, requestQuota, rowQuota, deviceQuota } = options;
      if (quota !== undefined || uploadRetention !== undefined) {
        const body = {
          ...(quota === undefined ? {} : { quota: sent(quota) }),
          ...(uploadRetention && { upload_retention_days: uploadRetention.days }),
        };
        await answerOf(client.PATCH('/admin/v1/partners/{partner_id}/storage', { params, body }));
      }
      const body = {
        ...(requestQuota === undefined ? {} : { requests: sent(requestQuota) }),
        ...(rowQuota === undefined ? {} : { rows: sent(rowQuota) }),
        ...(deviceQuota === undefined ? {} : { devices: sent(deviceQuota) }),
      };
      const quotas = await answerOf(
        client.PATCH('/admin/v1/partners/{partner_id}/quotas', { params, body }),
      );
      const storage = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/storage', { params }),
      );
      const disclosure = await answerOf(client.GET(disclosurePath, { params }));
      return {
        answer: { ...(name !== undefined && { name }), ...quotas, storage, disclosure },
        text: partnerText(name, quotas, storage, disclosure.mode),
      };
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
      created: time(each.created_at),
      access: accessText(each),
    }));
    return { answer: partners, text: table(rows, 'There are no partners yet.') };
  });
}

function sent(quota: Quota): number | null {
  return quota === 'none' ? null : quota;
}

function readCount(text: string): Quota {
  if (text === 'none') return text;
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('It must be none or a whole number.');
  return Number(text);
}

/** `off` keeps uploads for good, which the service knows as 0 days. */
function readRetention(text: string): { days: number | null } {
  if (text === 'default') return { days: null };
  if (text === 'off') return { days: 0 };
  const days = Number(/^(\d{1,3})d?$/.exec(text)?.[1] ?? 0);
  if (days > 0) return { days };
  throw new InvalidArgumentError('It must be a number of days such as 30d, off or default.');
}

interface Storage {
  readonly quota: number | null;
  readonly uploads_kept_days: number | null;
}

function partnerText(
  name: string | undefined,
  quotas: { requests: number | null; rows: number | null; devices: number | null },
  storage: Storage,
  disclosure: DisclosureMode | null,
): string {
  const shown = (quota: number | null) => (quota === null ? 'none' : count(quota));
  return card({
    ...(name !== undefined && { name }),
    'storage quota': storage.quota === null ? 'none' : bytes(storage.quota),
    'requests per month': shown(quotas.requests),
    'rows per month': shown(quotas.rows),
    devices: shown(quotas.devices),
    'uploads kept': keptText(storage),
    reports: disclosure ?? 'service default',
  });
}

function keptText({ uploads_kept_days: days }: Storage): string {
  if (days === null) return 'for good';
  return `${days === 1 ? 'a day' : `${count(days)} days`} after they were last loaded`;
}

function readQuota(text: string): Quota {
  if (text === 'none') return text;
  const quota = asBytes.parse(text);
  if (quota === undefined) throw new InvalidArgumentError(`It must be none or ${asBytes.wanted}.`);
  return quota;
}

function storageText(storage: Storage & { bytes: number; open_uploads: number }): string {
  return card({
    stored: bytes(storage.bytes),
    quota: storage.quota === null ? 'none' : bytes(storage.quota),
    'open uploads': storage.open_uploads,
    'uploads kept': keptText(storage),
  });
}
