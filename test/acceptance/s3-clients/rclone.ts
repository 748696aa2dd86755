import { linesOf, runTool, type StorageClient } from './storage-client.ts';

export const rclone: StorageClient = {
  name: 'rclone',
  needs: ['rclone'],
  lists: 'in its own order',
  signsLinks: 'by version 4',
  connect({ endpoint, region, bucket, accessKeyId, secretAccessKey, folder }) {
    const env = {
      RCLONE_CONFIG_STORE_TYPE: 's3',
      RCLONE_CONFIG_STORE_PROVIDER: 'Other',
      RCLONE_CONFIG_STORE_ENDPOINT: endpoint,
      RCLONE_CONFIG_STORE_REGION: region,
      RCLONE_CONFIG_STORE_ACCESS_KEY_ID: accessKeyId,
      RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY: secretAccessKey,
      RCLONE_CONFIG_STORE_CHUNK_SIZE: '5Mi',
      RCLONE_CONFIG_STORE_UPLOAD_CUTOFF: '6Mi',
      RCLONE_RETRIES: '1',
      RCLONE_LOW_LEVEL_RETRIES: '1',
    };
    const run = (args: readonly string[], input?: Buffer) =>
      runTool(folder, 'rclone', args, { env, ...(input && { input }) });
    const path = (key: string) => `store:${bucket}/${key}`;
    return {
      async put(file, key) {
        await run(['copyto', file, path(key)]);
      },
      async putStream(content, key) {
        await run(['rcat', path(key)], content);
      },
      get: (key) => run(['cat', path(key)]),
      getRange: (key, start, end) =>
        run(['cat', '--offset', `${start}`, '--count', `${end - start}`, path(key)]),
      async list(prefix) {
        const names = linesOf(await run(['lsf', '--recursive', '--files-only', path(prefix)]));
        return names.map((name) => prefix + name);
      },
      async copy(from, to) {
        await run(['copyto', path(from), path(to)]);
      },
      async presign(key) {
        return (await run(['link', '--expire', '10m', path(key)])).toString().trim();
      },
      async delete(key) {
        await run(['deletefile', path(key)]);
      },
      async deleteAll(prefix) {
        await run(['delete', path(prefix)]);
      },
    };
  },
};
