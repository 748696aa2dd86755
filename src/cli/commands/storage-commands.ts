import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { type Connect, findPartnerId } from '../connect/connection.ts';
import { card, type OutputOptions, print, table } from '../output/print.ts';

interface KeyPairOptions extends OutputOptions {
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

export function addStorageCommands(program: Command, connect: Connect): void {
  const storage = program.command('storage').description("partners' storage credentials");

  storage
    .command('create <partner>')
    .description('create storage credentials for a partner, by id or name; shown this once')
    .option('--access-key-id <id>', "another store's: the key that was made there")
    .option('--secret-access-key <secret>', "another store's: its secret")
    .option('--json', 'print JSON')
    .action(async (partner: string, options: KeyPairOptions) => {
      const client = await connect();
      const path = { partner_id: String(await findPartnerId(client, partner)) };
      const { accessKeyId, secretAccessKey } = options;
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
      print(created, `${card(created)}\n\n${howToUpload(created)}`, options);
    });

  storage
    .command('list <partner>')
    .description("list a partner's storage credentials, without the secrets")
    .option('--json', 'print JSON')
    .action(async (partner: string, options: OutputOptions) => {
      const client = await connect();
      const path = { partner_id: String(await findPartnerId(client, partner)) };
      const credentials = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/storage-credentials', { params: { path } }),
      );
      const rows = credentials.map((each) => ({
        'access key id': each.accessKeyId,
        created: each.created_at,
        'last used': each.last_used_at,
        revoked: each.revoked_at,
      }));
      print(credentials, table(rows, 'The partner has no storage credentials.'), options);
    });

  storage
    .command('revoke <partner> <access_key_id>')
    .description('revoke storage credentials; they are refused from the next request on')
    .option('--json', 'print JSON')
    .action(async (partner: string, accessKeyId: string, options: OutputOptions) => {
      const client = await connect();
      const path = {
        partner_id: String(await findPartnerId(client, partner)),
        access_key_id: accessKeyId,
      };
      await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}/storage-credentials/{access_key_id}', {
          params: { path },
        }),
      );
      print({ revoked: accessKeyId }, `${accessKeyId} is revoked.`, options);
    });
}

function howToUpload(created: Record<'endpoint' | 'region' | 'bucket' | 'prefix', string>): string {
  const { endpoint, region, bucket, prefix } = created;
  return `Upload: aws s3 cp devices.csv s3://${bucket}/${prefix} --endpoint-url ${endpoint} --region ${region}`;
}
