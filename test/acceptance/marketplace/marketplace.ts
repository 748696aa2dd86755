import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import {
  type Attribute,
  adminTokenOf,
  apiOf,
  type ImportLog,
  type StorageCredentials,
} from '../api.ts';
import { storageClient } from '../outside.ts';
import { type Service, startService, temporaryFolder, until } from '../service.ts';
import { type SilentBuckets, startSilentBuckets } from './silent-buckets.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed text if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the response is what the tests check.
  readonly body: any;
}

interface CallOptions {
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

/** A partner for one test, which uses the service only by HTTP and S3. */
export interface Partner {
  readonly partnerId: number;
  readonly apiKey: string;
  readonly storage: StorageCredentials;
  /** The IDs of its initial attributes. */
  readonly attributeIds: readonly number[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  upload(key: string, content: string | Uint8Array): Promise<void>;
  /** Creates attributes with these foreign keys and returns their IDs. */
  attributes(...foreignKeys: string[]): Promise<number[]>;
  /** The device count of each attribute, by foreign key. */
  counts(): Promise<Record<string, number>>;
  listed(): Promise<Attribute[]>;
  /** Queues an import, by foreign key unless the body says otherwise. */
  queue(filePath: string, more?: object): Promise<number>;
  log(importLogId: number): Promise<ImportLog>;
  ended(importLogId: number): Promise<ImportLog>;
  /** Queues an import and waits for its end. */
  imported(filePath: string, more?: object): Promise<ImportLog>;
  /** Uploads one file and imports it. */
  importedFile(content: string | Uint8Array, more?: object): Promise<ImportLog>;
  deleted(keys: readonly string[], more?: object): Promise<ImportLog>;
  /** Blocks its lane with an import that runs until the lane is released and then fails. */
  held(): Promise<{ readonly importLogId: number; release(): void }>;
}

export interface Marketplace extends AsyncDisposable {
  readonly service: Service;
  readonly dataDir: string;
  readonly adminToken: string;
  /** Creates a partner with attributes of these foreign keys. */
  partner(...foreignKeys: string[]): Promise<Partner>;
  partnerNamed(name: string, ...foreignKeys: string[]): Promise<Partner>;
}

const logs = '/v1/marketplace/import';

/** A whole service for all tests of a file. */
export async function startMarketplace(env: Record<string, string> = {}): Promise<Marketplace> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await temporaryFolder());
  const dataDir = join(folder.path, 'data');
  const silent = starting.use(await startSilentBuckets());
  const endpoints = JSON.stringify({ [silent.region]: silent.endpoint });
  const service = starting.use(
    await startService({ dataDir, env: { TRIBUTARY_PARTNER_S3_ENDPOINTS: endpoints, ...env } }),
  );
  const adminToken = await adminTokenOf(dataDir);
  const partnerNamed = (name: string, ...foreignKeys: readonly string[]) =>
    provision({ service, silent, adminToken }, name, foreignKeys);
  const running = starting.move();
  return {
    service,
    dataDir,
    adminToken,
    partner: (...foreignKeys) => partnerNamed('acme', ...foreignKeys),
    partnerNamed,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface Surroundings {
  readonly service: Service;
  readonly silent: SilentBuckets;
  readonly adminToken: string;
}

async function provision(
  { service, silent, adminToken }: Surroundings,
  name: string,
  foreignKeys: readonly string[],
): Promise<Partner> {
  const api = apiOf(service);
  const { partner_id: partnerId, apiKey } = await api.createPartner(adminToken, name);
  const storage = await api.createStorageCredentials(adminToken, partnerId);
  const s3 = storageClient(storage);

  async function createAttributes(...keys: readonly string[]): Promise<number[]> {
    const ids: number[] = [];
    for (const key of keys) {
      const created = await api.createAttribute(apiKey, { name: key, partner_foreign_key: key });
      ids.push(created.attribute_id);
    }
    return ids;
  }

  const partner: Partner = {
    partnerId,
    apiKey,
    storage,
    attributeIds: await createAttributes(...foreignKeys),
    call: (method, path, options) => call(service.url + path, method, apiKey, options),
    async upload(key, content) {
      const Key = storage.prefix + key;
      const Body = Buffer.from(content);
      await s3.send(new PutObjectCommand({ Bucket: storage.bucket, Key, Body }));
    },
    attributes: createAttributes,
    listed: () => api.attributes(apiKey),
    async counts() {
      const listed = await api.attributes(apiKey);
      return Object.fromEntries(
        listed.map((each) => [each.partner_foreign_key, each.unique_devices]),
      );
    },
    async queue(filePath, more = {}) {
      const { import_log_id } = await api.queueImport(apiKey, filePath, 1, more);
      return import_log_id;
    },
    log: (importLogId) => api.importLog(apiKey, importLogId),
    ended: (importLogId) => api.ended(apiKey, importLogId),
    imported: async (filePath, more) => partner.ended(await partner.queue(filePath, more)),
    async importedFile(content, more) {
      await partner.upload('devices.csv', content);
      return partner.imported('devices.csv', more);
    },
    async deleted(keys, more = {}) {
      const answer = await partner.call('DELETE', logs, { json: { key_type: 1, keys, ...more } });
      if (answer.status !== 202) throw new Error(answer.text);
      return partner.ended(answer.body.import_log_id);
    },
    async held() {
      const bucket = `lane-${randomUUID()}`;
      const credentials = { accessKeyId: 'id', secretAccessKey: 'secret', region: silent.region };
      const importLogId = await partner.queue(`s3://${bucket}/silent`, {
        path_type: 1,
        credentials,
      });
      await until('the lane to be busy', async () => (await partner.log(importLogId)).status === 1);
      return { importLogId, release: () => silent.refuse(bucket) };
    },
  };
  return partner;
}

async function call(
  url: string,
  method: string,
  apiKey: string,
  { json, text, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const body = json === undefined ? text : JSON.stringify(json);
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const received = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text: received,
    body: /json/.test(response.headers.get('content-type') ?? '')
      ? JSON.parse(received.split('\n', 1)[0] ?? '')
      : undefined,
  };
}

/** The identifier of a device, by number. */
export function device(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Rows in the short layout for the devices from `first` to `last`. */
export function rows(first: number, last: number, keys: string): string {
  return Array.from({ length: last - first + 1 }, (_, i) => `${device(first + i)},${keys}\n`).join(
    '',
  );
}
