import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { partnerPath } from '../connect/find-by-name.ts';
import { bytes } from '../output/print.ts';
import { createProgressBar } from '../output/progress-bar.ts';
import type { AddAction } from './add-action.ts';

export function addUploadCommand(upload: Command, addAction: AddAction): void {
  addAction(
    upload.option('--key <key>', "the key below the prefix (default: the file's name)"),
    async (client, partner: string, file: string, { key }: { readonly key?: string }) => {
      const { size } = await stat(file);
      const path = { ...(await partnerPath(client, partner)), key: key ?? basename(file) };
      const progress = createProgressBar(process.stderr, size);
      // Streamed, so the size of the file does not matter.
      const content = Readable.toWeb(Readable.from(progress.counted(createReadStream(file))));
      const stored = await answerOf(
        client.PUT('/admin/v1/partners/{partner_id}/objects/{key}', {
          params: { path },
          // JSON Schema describes bytes as a string. The stream itself is sent.
          body: content as unknown as string,
          bodySerializer: (body) => body as unknown as ReadableStream,
          duplex: 'half',
          headers: { 'content-type': 'application/octet-stream' },
        }),
      ).finally(() => progress.end());
      return { answer: stored, text: `${stored.key}  ${bytes(stored.size)}` };
    },
  );
}
