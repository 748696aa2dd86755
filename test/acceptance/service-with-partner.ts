import { adminTokenOf, apiOf } from './api.ts';
import { type ServiceOptions, startService } from './service.ts';

/** A running service with a partner that has one attribute, `k`. */
export async function startWithPartner(dataDir: string, options: Partial<ServiceOptions> = {}) {
  const service = await startService({ dataDir, ...options });
  const api = apiOf(service);
  const adminToken = await adminTokenOf(dataDir);
  const { partner_id, apiKey } = await api.createPartner(adminToken, 'acme');
  await api.createAttribute(apiKey, { name: 'K', partner_foreign_key: 'k' });
  const put = (key: string, content: string) => api.putObject(adminToken, partner_id, key, content);
  return { service, api, apiKey, put };
}
