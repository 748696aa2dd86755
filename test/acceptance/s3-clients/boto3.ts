import { startPythonCalls } from './python-calls.ts';
import { linesOf, type StorageClient } from './storage-client.ts';

export const boto3: StorageClient = {
  name: 'boto3',
  needs: ['boto3'],
  lists: 'as the store does',
  signsLinks: 'by version 4',
  connect({ endpoint, region, bucket, accessKeyId, secretAccessKey, folder }) {
    const { run, close } = startPythonCalls('boto3-calls.py', folder, {
      ENDPOINT: endpoint,
      BUCKET: bucket,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_DEFAULT_REGION: region,
      AWS_EC2_METADATA_DISABLED: 'true',
    });
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
      close,
    };
  },
};
