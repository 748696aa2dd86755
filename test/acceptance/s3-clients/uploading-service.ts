import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adminTokenOf, apiOf, type StorageCredentials } from '../api.ts';
import { type Service, startService, temporaryFolder } from '../service.ts';
import type { Connection, StorageClient } from './storage-client.ts';

export interface UploadingService extends AsyncDisposable {
  readonly service: Service;
  readonly folder: string;
  /** Creates a partner with a prefix and credentials. */
  partner(name: string): Promise<StorageCredentials & { partnerId: number }>;
  revoke(partner: { partnerId: number; accessKeyId: string }): Promise<void>;
  /** Connects a client that has its own home folder. */
  connect(client: StorageClient, credentials: StorageCredentials): Promise<Connection>;
}

/** A running service that partners upload to. */
export async function startUploadingService(): Promise<UploadingService> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await temporaryFolder());
  const dataDir = join(folder.path, 'data');
  const service = started.use(await startService({ dataDir }));
  const api = apiOf(service);
  const adminToken = await adminTokenOf(dataDir);
  const running = started.move();
  let connections = 0;
  return {
    service,
    folder: folder.path,
    async partner(name) {
      const { partner_id } = await api.createPartner(adminToken, name);
      const credentials = await api.createStorageCredentials(adminToken, partner_id);
      return { ...credentials, partnerId: partner_id };
    },
    async revoke({ partnerId, accessKeyId }) {
      const path = `/admin/v1/partners/${partnerId}/storage-credentials/${accessKeyId}`;
      const { status } = await api.call('DELETE', path, adminToken);
      if (status !== 204) throw new Error(`revoking the credentials returned ${status}`);
    },
    async connect(client, credentials) {
      connections += 1;
      const home = join(folder.path, `client-${connections}`);
      await mkdir(home);
      const connection = client.connect({ ...credentials, folder: home });
      running.defer(() => connection.close?.());
      return connection;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
