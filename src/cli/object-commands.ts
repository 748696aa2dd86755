import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { answerOf } from '../client/client.ts';
import { type Connect, findPartnerId } from './connection.ts';
import { bytes, type OutputOptions, print } from './print.ts';

export function addObjectCommands(program: Command, connect: Connect): void {
  const object = program.command('object').description("partners' objects in the shared bucket");

  object
    .command('put <partner> <file>')
    .description("put a file under a partner's prefix")
    .option('--key <key>', "the key below the prefix (default: the file's name)")
    .option('--json', 'print JSON')
    .action(async (partner: string, file: string, options: OutputOptions & { key?: string }) => {
      await access(file, constants.R_OK);
      // Read from the disk as it is sent, however large it is.
      const content = await openAsBlob(file);
      const client = await connect();
      const path = {
        partner_id: String(await findPartnerId(client, partner)),
        key: options.key ?? basename(file),
      };
      const stored = await answerOf(
        client.PUT('/admin/v1/partners/{partner_id}/objects/{key}', {
          params: { path },
          // In JSON Schema bytes are a string; what is sent is the file itself.
          body: content as unknown as string,
          bodySerializer: (body) => body as unknown as Blob,
          headers: { 'content-type': 'application/octet-stream' },
        }),
      );
      print(stored, `${stored.key}  ${bytes(stored.size)}`, options);
    });
}
