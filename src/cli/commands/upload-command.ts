import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { type Connect, findPartnerId } from '../connect/connection.ts';
import { bytes, type OutputOptions, print } from '../output/print.ts';
import { createProgressBar } from '../output/progress-bar.ts';

export function addUploadCommand(program: Command, connect: Connect): void {
  program
    .command('upload <partner> <file>')
    .description("put a file under a partner's prefix, in the operator's name")
    .option('--key <key>', "the key below the prefix (default: the file's name)")
    .option('--json', 'print JSON')
    .action(async (partner: string, file: string, options: OutputOptions & { key?: string }) => {
      const { size } = await stat(file);
      const client = await connect();
      const path = {
        partner_id: String(await findPartnerId(client, partner)),
        key: options.key ?? basename(file),
      };
      const progress = createProgressBar(process.stderr, size);
      // Read from the disk as it is sent, however large it is.
      const content = Readable.toWeb(Readable.from(progress.counted(createReadStream(file))));
      const stored = await answerOf(
        client.PUT('/admin/v1/partners/{partner_id}/objects/{key}', {
          params: { path },
          // In JSON Schema bytes are a string; what is sent is the file itself.
          body: content as unknown as string,
          bodySerializer: (body) => body as unknown as ReadableStream,
          duplex: 'half',
          headers: { 'content-type': 'application/octet-stream' },
        }),
      ).finally(() => progress.end());
      print(stored, `${stored.key}  ${bytes(stored.size)}`, options);
    });
}
