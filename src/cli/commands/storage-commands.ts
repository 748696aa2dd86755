import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { partnerPath } from '../connect/find-by-name.ts';
import { card, table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

interface KeyPairOptions {
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

export function addStorageCommands(storage: Command, addAction: AddAction): void {
  addAction(
    storage
      .command('create <partner>')
      .description('create storage credentials for a partner (id or name); shown only once')
      .option('--access-key-id <id>', 'the access key ID, if another store issued it')
      .option('--secret-access-key <secret>', 'the secret access key, if another store issued it'),
    async (client, partner: string, { accessKeyId, secretAccessKey }: KeyPairOptions) => {
      const path = await partnerPath(client, partner);
      const body = {
        ...(accessKeyId === undefined ? {} : { accessKeyId }),
        ...(secretAccessKey === undefined ? {} : { secretAccessKey }),
      };
      const created = await answerOf(
        client.POST('/admin/v1/partners/{partner_id}/storage-credentials', {
          params: { path },
          body,
        }),
      );
      return { answer: created, text: `${card(created)}\n\n${uploadCommand(created)}` };
    },
  );

  addAction(
    storage
      .command('list <partner>')
      .description("list a partner's storage credentials, without the secrets"),
    async (client, partner: string) => {
      const path = await partnerPath(client, partner);
      const credentials = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/storage-credentials', { params: { path } }),
      );
      const rows = credentials.map((each) => ({
        'access key id': each.accessKeyId,
        created: time(each.created_at),
        'last used': time(each.last_used_at),
        revoked: time(each.revoked_at),
      }));
      return { answer: credentials, text: table(rows, 'The partner has no storage credentials.') };
    },
  );

  addAction(
    storage
      .command('revoke <partner> <access_key_id>')
      .description('revoke storage credentials, effective from the next request'),
    async (client, partner: string, id: string) => {
      const path = { ...(await partnerPath(client, partner)), access_key_id: id };
      await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}/storage-credentials/{access_key_id}', {
          params: { path },
        }),
      );
      return { answer: { revoked: id }, text: `${id} is revoked.` };
    },
  );
}

function uploadCommand(created: Record<'endpoint' | 'region' | 'bucket' | 'prefix', string>) {
  const { endpoint, region, bucket, prefix } = created;
  return `Upload: aws s3 cp devices.csv s3://${bucket}/${prefix} --endpoint-url ${endpoint} --region ${region}`;
}
