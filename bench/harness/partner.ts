import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { attributeKey } from '../generate/rows.ts';
import { type BenchService, callAs } from './service.ts';

export interface BenchPartner {
  readonly call: ReturnType<typeof callAs>;
  put(name: string, content: AsyncIterable<Buffer>): Promise<void>;
  /** Queues an import and waits until it ends. */
  import(body: object): Promise<{ readonly total_rows: string }>;
}

const importsPath = '/v1/marketplace/import';
const attributesAtOnce = 8;
const sandboxPartner = 1;
const lookEveryMs = 20;

/** Gives a partner a key, and attributes with the keys used in files. */
export async function preparePartner(
  service: BenchService,
  attributes: number,
  partnerId = sandboxPartner,
): Promise<BenchPartner> {
  const operator = callAs(service, service.adminToken);
  const partnerPath = `/admin/v1/partners/${partnerId}`;
  const { api_key } = await operator<{ api_key: string }>('POST', `${partnerPath}/api-keys`, {});
  const call = callAs(service, api_key);
  const numbers = Array.from({ length: attributes }, (_, number) => number).values();
  const createAttributes = async () => {
    for (const number of numbers) {
      const key = attributeKey(number);
      await call('POST', '/v1/marketplace/attribute', {
        name: `Attribute ${key}`,
        description: '',
        partner_foreign_key: key,
      });
    }
  };
  await Promise.all(Array.from({ length: attributesAtOnce }, createAttributes));
  return {
    call,
    put: (name, content) => putObject(service, `${partnerPath}/objects/${name}`, content),
    async import(body) {
      const { import_log_id } = await call<{ import_log_id: number }>('POST', importsPath, body);
      return await importEnded(call, import_log_id);
    },
  };
}

async function putObject(
  service: BenchService,
  path: string,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  const put = request(service.url + path, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.adminToken}` },
  });
  const answered = once(put, 'response');
  await pipeline(Readable.from(content), put);
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 201)
    throw new Error(`the upload was refused with status ${response.statusCode}`);
}

/** Another partner, next to the sandbox partner. */
export async function addPartner(service: BenchService, attributes: number): Promise<BenchPartner> {
  const operator = callAs(service, service.adminToken);
  const { partner_id } = await operator<{ partner_id: number }>('POST', '/admin/v1/partners', {
    name: 'another',
  });
  return await preparePartner(service, attributes, partner_id);
}

async function importEnded(call: BenchPartner['call'], importLogId: number) {
  for (;;) {
    const log = await call<{ status: number; total_rows: string }>(
      'GET',
      `${importsPath}/${importLogId}`,
    );
    if (log.status === 2) return log;
    if (log.status > 2) throw new Error(JSON.stringify(log));
    await sleep(lookEveryMs);
  }
}
