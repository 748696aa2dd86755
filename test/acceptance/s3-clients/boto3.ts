import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { linesOf, type StorageClient, toolEnvironment } from './storage-client.ts';

const program = join(import.meta.dirname, 'boto3-calls.py');

/** All calls of a connection run in one process, because boto3 takes a second to load. */
export const boto3: StorageClient = {
  name: 'boto3',
  needs: ['boto3'],
  lists: 'as the store does',
  signsLinks: 'by version 4',
  connect({ endpoint, region, bucket, accessKeyId, secretAccessKey, folder }) {
    const child = spawn('/usr/bin/python3', [program], {
      cwd: folder,
      env: toolEnvironment(folder, {
        ENDPOINT: endpoint,
        BUCKET: bucket,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_DEFAULT_REGION: region,
        AWS_EC2_METADATA_DISABLED: 'true',
      }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const answers = createInterface(child.stdout);

    async function run(call: string, args: readonly string[], input?: Buffer): Promise<Buffer> {
      const content = input && join(folder, 'input');
      if (content) await writeFile(content, input);
      const answered = once(answers, 'line');
      child.stdin.write(`${JSON.stringify([call, args, content ?? null])}\n`);
      const [line] = (await answered) as [string];
      const [output, error] = JSON.parse(line) as [string, null] | [null, string];
      if (error !== null) throw new Error(`boto3 ${call} ${args.join(' ')}: ${error}`);
      return readFile(output);
    }

    return {
      async put(file, key) {
        await run('put', [file, key]);
      },
      async putStream(content, key) {
        await run('put_stream', [key], content);
      },
      get: (key) => run('get', [key]),
      getRange: (key, start, end) => run('get_range', [key, `${start}`, `${end}`]),
      list: async (prefix) => linesOf(await run('list_keys', [prefix])),
      async copy(from, to) {
        await run('copy', [from, to]);
      },
      presign: async (key) => (await run('presign', [key])).toString(),
      async delete(key) {
        await run('delete', [key]);
      },
      async deleteAll(prefix) {
        await run('delete_all', [prefix]);
      },
      close: () => child.stdin.end(),
    };
  },
};
