import { adminTokenOf, apiOf } from './api.ts';
import { startService } from './service.ts';

/** A running service with a partner that has one attribute, `k`. */
export async function startWithPartner(dataDir: string) {
  const service = await startService({ dataDir });
  const api = apiOf(service);
  const adminToken = await adminTokenOf(dataDir);
  const { partner_id, apiKey } = await api.createPartner(adminToken, 'acme');
  await api.createAttribute(apiKey, { name: 'K', partner_foreign_key: 'k' });
  const put = (key: string, content: string) => api.putObject(adminToken, partner_id, key, content);
  return { service, api, apiKey, put };
}
