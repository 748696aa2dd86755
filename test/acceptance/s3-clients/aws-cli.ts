import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPythonCalls } from './python-calls.ts';
import { linesOf, type StorageClient } from './storage-client.ts';

/** Uploads files of 8 MB or more in parts of 8 MB. */
export const awsCli: StorageClient = {
  name: 'aws cli',
  needs: ['aws'],
  lists: 'as the store does',
  signsLinks: 'by version 4',
  connect({ endpoint, region, bucket, accessKeyId, secretAccessKey, folder }) {
    const { run, close } = startPythonCalls('aws-calls.py', folder, {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_DEFAULT_REGION: region,
      AWS_EC2_METADATA_DISABLED: 'true',
    });
    const aws = (args: readonly string[], input?: Buffer) =>
      run('aws', ['--endpoint-url', endpoint, ...args], input);
    const url = (key: string) => `s3://${bucket}/${key}`;
    return {
      async put(file, key) {
        await aws(['s3', 'cp', file, url(key)]);
      },
      async putStream(content, key) {
        await aws(['s3', 'cp', '-', url(key)], content);
      },
      get: (key) => aws(['s3', 'cp', url(key), '-']),
      async getRange(key, start, end) {
        const file = join(folder, 'range');
        const range = `bytes=${start}-${end - 1}`;
        const object = ['--bucket', bucket, '--key', key];
        await aws(['s3api', 'get-object', ...object, '--range', range, file]);
        return readFile(file);
      },
      async list(prefix) {
        const lines = linesOf(await aws(['s3', 'ls', '--recursive', url(prefix)]));
        return lines.map((line) => line.slice(line.indexOf(prefix)));
      },
      async copy(from, to) {
        await aws(['s3', 'cp', url(from), url(to)]);
      },
      async presign(key) {
        const link = await aws(['s3', 'presign', url(key), '--expires-in', '600']);
        return link.toString().trim();
      },
      async delete(key) {
        await aws(['s3', 'rm', url(key)]);
      },
      async deleteAll(prefix) {
        await aws(['s3', 'rm', '--recursive', url(prefix)]);
      },
      close,
    };
  },
};
