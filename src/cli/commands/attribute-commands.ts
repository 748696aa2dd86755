import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { allRecords, answerOf } from '../../client/client.ts';
import { count, table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';
import { watchToEnd } from './logs-command.ts';

interface NewAttributeOptions {
  readonly description: string;
  readonly foreignKey?: string;
}

export function addAttributeCommands(attribute: Command, addAction: AddAction): void {
  addAction(
    attribute.command('list').description('list the attributes with their device counts'),
    async (client) => {
      const attributes = await allRecords((query) =>
        client.GET('/v1/marketplace/attribute', { params: { query } }),
      );
      const rows = attributes.map((each) => ({
        id: String(each.attribute_id),
        name: each.name,
        'foreign key': each.partner_foreign_key,
        devices: each.unique_devices,
      }));
      return { answer: attributes, text: table(rows, 'There are no attributes yet.') };
    },
  );

  addAction(
    attribute
      .command('history <attribute_id>')
      .description('show how the devices of an attribute changed and why, the latest change first'),
    async (client, id: string) => {
      const params = { path: { attribute_id: id } };
      const changes = await answerOf(
        client.GET('/v1/marketplace/attribute/{attribute_id}/history', { params }),
      );
      const rows = changes.map((each) => ({
        changed: time(each.changed_at),
        why: each.reason,
        devices: each.unique_devices,
      }));
      return { answer: changes, text: table(rows, 'Nothing has changed yet.') };
    },
  );

  addAction(
    attribute
      .command('create <name>')
      .description('create an attribute; " > " in the name makes a hierarchy')
      .option('--description <text>', 'what it means', '')
      .option('--foreign-key <key>', "the partner's own key for it"),
    async (client, name: string, { description, foreignKey }: NewAttributeOptions) => {
      const key = foreignKey === undefined ? {} : { partner_foreign_key: foreignKey };
      const created = await answerOf(
        client.POST('/v1/marketplace/attribute', { body: { name, description, ...key } }),
      );
      const id = 'attribute_id' in created ? created.attribute_id : '';
      return { answer: created, text: `Created attribute ${id}.` };
    },
  );

  addAction(
    attribute
      .command('import <csv>')
      .description('create many attributes from a CSV file with name,description,partnerkey'),
    async (client, csv: string) => {
      const content = await readFile(csv);
      const created = await answerOf(
        client.POST('/v1/marketplace/attribute', {
          // The schema describes text. The bytes of the file are sent unchanged.
          body: content as unknown as string,
          bodySerializer: (body) => body as unknown as Uint8Array<ArrayBuffer>,
          headers: { 'content-type': 'text/csv' },
        }),
      );
      const ids = 'attribute_ids' in created ? created.attribute_ids : [];
      return { answer: created, text: `Created ${count(ids.length)} attributes.` };
    },
  );

  addAction(
    attribute
      .command('delete <attribute_id>')
      .description('queue the deletion of an attribute and its devices; it cannot be undone')
      .option('--watch', 'wait until it is deleted'),
    async (client, id: string, { watch }: { readonly watch?: boolean }) => {
      const params = { path: { attribute_id: id } };
      const queued = await answerOf(
        client.DELETE('/v1/marketplace/attribute/{attribute_id}', { params }),
      );
      if (watch) return watchToEnd(client, queued.import_log_id);
      return { answer: queued, text: `Queued as job ${queued.import_log_id}.` };
    },
  );
}
