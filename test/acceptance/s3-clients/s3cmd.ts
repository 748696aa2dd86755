import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOf, runTool, type StorageClient } from './storage-client.ts';

export const s3cmd: StorageClient = {
  name: 's3cmd',
  needs: ['s3cmd'],
  lists: 'as the store does',
  signsLinks: 'by version 2',
  connect({ endpoint, region, bucket, accessKeyId, secretAccessKey, folder }) {
    const { host } = new URL(endpoint);
    const config = join(folder, 's3cfg');
    writeFileSync(
      config,
      `[default]
access_key = ${accessKeyId}
secret_key = ${secretAccessKey}
host_base = ${host}
host_bucket = ${host}
use_https = False
bucket_location = ${region}
multipart_chunk_size_mb = 5
max_retries = 1
`,
    );
    const run = (args: readonly string[], input?: Buffer) =>
      runTool(folder, 's3cmd', ['-c', config, '--no-progress', ...args], input && { input });
    const url = (key: string) => `s3://${bucket}/${key}`;
    return {
      async put(file, key) {
        await run(['put', file, url(key)]);
      },
      async putStream(content, key) {
        await run(['put', '-', url(key)], content);
      },
      async get(key) {
        const file = join(folder, 'got');
        await run(['get', '--force', url(key), file]);
        return readFile(file);
      },
      /** s3cmd can only resume a download, so the file starts with zeros. */
      async getRange(key, start, end) {
        const file = join(folder, 'resumed');
        await writeFile(file, Buffer.alloc(start));
        await run(['get', '--continue', url(key), file]);
        return (await readFile(file)).subarray(start, end);
      },
      async list(prefix) {
        const lines = linesOf(await run(['ls', '--recursive', url(prefix)]));
        return lines.map((line) => line.slice(line.indexOf(prefix)));
      },
      async copy(from, to) {
        await run(['cp', url(from), url(to)]);
      },
      async presign(key) {
        return (await run(['signurl', url(key), '+600'])).toString().trim();
      },
      async delete(key) {
        await run(['del', url(key)]);
      },
      async deleteAll(prefix) {
        await run(['del', '--recursive', '--force', url(prefix)]);
      },
    };
  },
};
