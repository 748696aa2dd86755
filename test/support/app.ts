import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { parseWarehouse } from '../../src/config/config.ts';
import { createLogger } from '../../src/config/logger.ts';
import { readVersion } from '../../src/config/version.ts';
import { readDiskSpace } from '../../src/data-dir/disk-reserve.ts';
import { createDisclosures, type DisclosureRules } from '../../src/domain/disclosure/disclosure.ts';
import { type DiskReserve, noReserve } from '../../src/domain/disk-reserve.ts';
import type { Finding } from '../../src/domain/finding.ts';
import { createGuessLimit } from '../../src/domain/guess-limit.ts';
import type { WebhookTargets } from '../../src/domain/webhooks/targets.ts';
import { createApp } from '../../src/http/app.ts';
import type { Brand } from '../../src/http/console/console-page.ts';
import type { SendMail } from '../../src/http/console/link-mail.ts';
import { passingChecks } from '../../src/http/server/health.ts';
import { createRequestCounter, type RequestCounter } from '../../src/http/usage/request-counter.ts';
import { createApiMetrics } from '../../src/metrics/api-metrics.ts';
import { createProcessMetrics } from '../../src/metrics/process-metrics.ts';
import { type MetricsSource, serveMetrics } from '../../src/metrics/serve-metrics.ts';
import { createServiceMetrics } from '../../src/metrics/service-metrics.ts';
import { type DiskStore, openDiskStore } from '../../src/objects/disk/disk-store.ts';
import { createEndpointUploadLinks } from '../../src/objects/endpoint/signing/upload-links.ts';
import type { Partner } from '../../src/records/access/partners.ts';
import { openPool } from '../../src/records/database/connection.ts';
import type { Sealing } from '../../src/records/database/sealing.ts';
import { createRecords, type Records } from '../../src/records/records.ts';
import { currentSpanIds, type Tracer } from '../../src/trace/span.ts';
import type { Warehouse } from '../../src/warehouse/port.ts';
import { exactRules } from './composition-counts.ts';
import { type FreshRecords, freshRecords } from './database.ts';
import { freePort } from './free-port.ts';
import { manyGuesses } from './guesses.ts';
import { testSealing } from './sealing.ts';
import { openTestWarehouse } from './warehouse.ts';

export interface TestApp extends AsyncDisposable {
  readonly url: string;
  readonly adminToken: string;
  readonly database: FreshRecords;
  readonly records: Records;
  readonly objects: DiskStore;
  readonly warehouse: Warehouse;
  readonly warehouseDir: string;
  readonly objectsDir: string;
  /** Everything logged so far. */
  readonly logged: string[];
  readonly requests: RequestCounter;
  /** The number of open connections to the API. */
  connections(): Promise<number>;
  /** What an API process serves as metrics. */
  readonly metricsSources: readonly MetricsSource[];
  /** The current metrics of the service. */
  metrics(): Promise<string>;
  /** Calls the API and reads the response. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Creates a partner with an API key. */
  partner(name?: string): Promise<{ partner: Partner; apiKey: string }>;
}

export interface CallOptions {
  readonly token?: string;
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape
  readonly body: any;
}

export interface TestAppOptions {
  readonly trustProxy?: boolean | string;
  readonly reserve?: DiskReserve;
  readonly sealing?: Sealing;
  /** By default more than any test sends, except those about the limit. */
  readonly rateLimit?: number;
  readonly webhookTargets?: WebhookTargets;
  readonly maxAttributes?: number;
  readonly maxAudiences?: number;
  /** How many may be wrong per minute; by default more than any test sends. */
  readonly wrongCredentials?: number;
  /** Counts are exact unless a test says otherwise. */
  readonly disclosure?: Partial<DisclosureRules>;
  /** The address of the S3 endpoint, if there is one. */
  readonly storageUrl?: string;
  /** False: the shared bucket is in another store, which creates the partners' key pairs. */
  readonly issuesStorageKeys?: boolean;
  /** The address of the database for the app, if it differs from the tests' own. */
  readonly databaseUrl?: string;
  readonly statementTimeoutMs?: number;
  /** By default, uploads are kept for good. */
  readonly uploadRetentionDays?: number;
  /** By default, roles of partners cannot be assumed. */
  readonly rolePrincipal?: string;
  readonly saveAdminToken?: (token: string) => Promise<void>;
  /** The database of another app, to act as a second process. */
  readonly database?: FreshRecords;
  readonly tracer?: Tracer;
  readonly brand?: Brand;
  /** By default, no mail server is set up. */
  readonly sendMail?: SendMail;
  readonly examine?: () => Promise<readonly Finding[]>;
}

const adminToken = 'an-admin-token-chosen-by-the-operator';

/** The whole API in this process, with a fresh database and folder, on a free port. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tributary-app-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const database = options.database ?? resources.use(await freshRecords());
  const { db, use } = openPool({
    url: options.databaseUrl ?? database.url,
    schema: database.schema,
    maxConnections: 10,
    statementTimeoutMs: options.statementTimeoutMs,
  });
  resources.defer(() => db.destroy());
  const records = createRecords(db, options.sealing ?? testSealing);
  const logged: string[] = [];
  const objectsDir = join(folder, 'objects');
  const objects = await openDiskStore(objectsDir, records.objectIndex, records.uploads);
  const warehouseDir = join(folder, 'warehouse');
  const warehouse = resources.use(await openTestWarehouse(warehouseDir, records));
  const readiness = {
    database: records.checkReady,
    storage: objects.checkReady,
    warehouse: warehouse.checkReady,
  };
  const metrics = createApiMetrics(
    () => passingChecks(readiness),
    async () => ({}),
  );
  const metricsSources = [
    createProcessMetrics({ poolUse: use, diskSpace: () => readDiskSpace(folder, null) }).registry,
    metrics.registry,
    createServiceMetrics(records, { deletionHours: 24, backupTarget: null, dropDeadlineDays: 45 }),
  ];
  const requests = resources.use(createRequestCounter(records, pino({ level: 'silent' })));
  const storage = {
    endpoint: options.storageUrl ?? 'http://localhost:9000',
    region: 'us-east-1',
    bucket: 'tributary',
    issuedHere: options.issuesStorageKeys ?? true,
  };
  const app = await createApp({
    version: readVersion(),
    records,
    objects,
    readiness,
    reserve: options.reserve ?? noReserve,
    onFinished: metrics.requestFinished,
    tracer: options.tracer ?? null,
    log: createLogger({
      level: 'debug',
      role: 'api',
      secrets: [adminToken],
      fields: currentSpanIds,
      write: (line) => logged.push(line),
    }),
    adminToken,
    saveAdminToken: options.saveAdminToken ?? null,
    storage,
    uploadRetentionDays: options.uploadRetentionDays ?? null,
    backupTarget: '/backups',
    warehouse: { setting: null, folder: '/data', parse: parseWarehouse },
    uploadLinks: createEndpointUploadLinks({
      publicUrl: storage.endpoint,
      bucket: storage.bucket,
      region: storage.region,
      credentials: records.storageCredentials,
    }),
    partnerBuckets: { regions: [], rolePrincipal: options.rolePrincipal ?? null },
    webhookTargets: options.webhookTargets ?? 'public',
    publicUrl: 'http://localhost:8080',
    rateLimit: options.rateLimit ?? 1_000_000,
    requests,
    maxAttributes: options.maxAttributes ?? 10_000,
    maxAudiences: options.maxAudiences ?? 100_000,
    deletionHours: 24,
    guesses: createGuessLimit(options.wrongCredentials ?? manyGuesses),
    disclosures: createDisclosures(
      { ...exactRules, ...options.disclosure },
      await records.reportedContents.draw(),
    ),
    trustProxy: options.trustProxy ?? false,
    tls: null,
    consoleFolder: join(import.meta.dirname, '../../console/dist'),
    brand: options.brand ?? { name: 'Tributary', logo: null },
    sendMail: options.sendMail ?? null,
    examine: options.examine ?? (async () => []),
  });
  resources.defer(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  return {
    url,
    adminToken,
    database,
    records,
    objects,
    warehouse,
    warehouseDir,
    objectsDir,
    logged,
    metricsSources,
    requests,
    connections: promisify(app.server.getConnections.bind(app.server)),
    async metrics() {
      const port = await freePort();
      await using _serving = await serveMetrics(metricsSources, '127.0.0.1', port);
      return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    },
    call: (method, path, options = {}) => callApi(url + path, method, options),
    async partner(name = 'acme') {
      const partner = await records.partners.create(name);
      const { apiKey } = await records.apiKeys.create(partner.partnerId, '');
      return { partner, apiKey };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Two processes with one database, as behind a load balancer. */
export async function startTwoApps(): Promise<
  AsyncDisposable & { readonly apps: readonly [TestApp, TestApp] }
> {
  await using starting = new AsyncDisposableStack();
  const first = starting.use(await startTestApp());
  const second = starting.use(await startTestApp({ database: first.database }));
  const running = starting.move();
  return { apps: [first, second], [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function callApi(url: string, method: string, options: CallOptions): Promise<Answer> {
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
