import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import {
  asPartner,
  type ConnectPartner,
  type PartnerOptions,
} from '../connect/partner-connection.ts';
import { count, type OutputOptions, print, table } from '../output/print.ts';
import { showJob } from './logs-command.ts';

interface AttributeOptions extends OutputOptions, PartnerOptions {}

interface NewAttributeOptions extends AttributeOptions {
  readonly description: string;
  readonly foreignKey?: string;
}

export function addAttributeCommands(program: Command, connect: ConnectPartner): void {
  const attribute = program.command('attribute').description("the partner's attributes");

  asPartner(attribute.command('list'))
    .description('list the attributes, with how many devices carry each')
    .option('--json', 'print JSON')
    .action(async (options: AttributeOptions) => {
      const client = connect(options);
      const attributes = await answerOf(client.GET('/v1/marketplace/attribute'));
      const rows = attributes.map((each) => ({
        id: String(each.attribute_id),
        name: each.name,
        'foreign key': each.partner_foreign_key,
        devices: each.unique_devices,
      }));
      print(attributes, table(rows, 'There are no attributes yet.'), options);
    });

  asPartner(attribute.command('create <name>'))
    .description('create an attribute; " > " in the name makes a hierarchy')
    .option('--description <text>', 'what it means', '')
    .option('--foreign-key <key>', "the partner's own key for it")
    .option('--json', 'print JSON')
    .action(async (name: string, options: NewAttributeOptions) => {
      const { description, foreignKey } = options;
      const key = foreignKey === undefined ? {} : { partner_foreign_key: foreignKey };
      const created = await answerOf(
        connect(options).POST('/v1/marketplace/attribute', { body: { name, description, ...key } }),
      );
      const id = 'attribute_id' in created ? created.attribute_id : '';
      print(created, `Created attribute ${id}.`, options);
    });

  asPartner(attribute.command('import <csv>'))
    .description('create a whole taxonomy, from a CSV with the header name,description,partnerkey')
    .option('--json', 'print JSON')
    .action(async (csv: string, options: AttributeOptions) => {
      const content = await readFile(csv);
      const created = await answerOf(
        connect(options).POST('/v1/marketplace/attribute', {
          // Typed as the text that it is; sent as the bytes of the file, whatever they are.
          body: content as unknown as string,
          bodySerializer: (body) => body as unknown as Uint8Array<ArrayBuffer>,
          headers: { 'content-type': 'text/csv' },
        }),
      );
      const ids = 'attribute_ids' in created ? created.attribute_ids : [];
      print(created, `Created ${count(ids.length)} attributes.`, options);
    });

  asPartner(attribute.command('delete <attribute_id>'))
    .description('delete an attribute with its data, in its turn; it cannot be undone')
    .option('--watch', 'wait until it is gone')
    .option('--json', 'print JSON')
    .action(async (id: string, options: AttributeOptions & { watch?: boolean }) => {
      const client = connect(options);
      const params = { path: { attribute_id: id } };
      const queued = await answerOf(
        client.DELETE('/v1/marketplace/attribute/{attribute_id}', { params }),
      );
      if (options.watch) return showJob(client, queued.import_log_id, options);
      print(queued, `Queued as job ${queued.import_log_id}.`, options);
    });
}
