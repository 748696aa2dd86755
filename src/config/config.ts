import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import {
  asBoolean,
  asBucketName,
  asClickhouse,
  asCount,
  asDatabaseUrl,
  asFraction,
  asHost,
  asHours,
  asHttpUrl,
  asLogLevel,
  asMegabytes,
  asPort,
  asRate,
  asRegion,
  asRegionEndpoints,
  asSchemaName,
  asSecretKeys,
  asText,
  asThreshold,
  asToken,
  asTrustProxy,
  type ClickhouseAddress,
  ConfigError,
  type Environment,
  type LogLevel,
  setting,
} from './settings.ts';

/** Every setting, read once. Nothing else looks at the environment. */
export interface Config {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly listenUrl: string;
  /** What clients reach, behind a proxy or not. No slash at the end. */
  readonly publicUrl: string;
  /** Where the command line finds the service. Null: at the public address. */
  readonly serviceUrl: string | null;
  /** Which peers may say, in X-Forwarded-For, whom they speak for. */
  readonly trustProxy: boolean | string;
  /** How many requests a minute each API key has. */
  readonly rateLimit: number;
  /** Null: no metrics are served. */
  readonly metricsPort: number | null;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  readonly databaseSchema: string;
  /** Null: the embedded engine, in the data dir. */
  readonly clickhouse: ClickhouseAddress | null;
  readonly bucket: string;
  readonly objects: ObjectStorage;
  /** Where the regions are that are not AWS's, for buckets of partners' own. */
  readonly partnerS3Endpoints: Readonly<Record<string, string>>;
  /** Null: the one generated into the data dir. */
  readonly secretKeys: readonly string[] | null;
  /** Null: the one generated into the data dir. */
  readonly adminToken: string | null;
  readonly logLevel: LogLevel;
  readonly rejectLimit: number;
  /** Of fewer devices of an audience than that, with an attribute or without it, nothing is told. */
  readonly suppressionThreshold: number;
  readonly maxWorkerLosses: number;
  readonly workerConcurrency: number;
  /** What all loads of a worker may hold in memory before they put the rest aside on disk. */
  readonly loadMemoryBytes: number;
  /** When the bytes of deleted data must be gone from disk. */
  readonly deletionHours: number;
  /** Names that look like ours but are not: a misspelt setting is one silently not made. */
  readonly unknownSettings: readonly string[];
  /** npm does not wait for us when it is killed, and npx does not tell us, so we watch for its going. */
  readonly startedByNpm: boolean;
}

/** A configuration whose database is known: the embedded server is running, or there is another. */
export type ServingConfig = Config & { readonly databaseUrl: string };

/** The shared bucket: our own store with its endpoint, or a bucket of another. */
type ObjectStorage =
  | { readonly kind: 'disk'; readonly port: number; readonly publicUrl: string }
  | {
      readonly kind: 's3';
      /** Null: AWS's own for the region. */
      readonly endpoint: string | null;
      /** What partners and browsers reach, if that is another. */
      readonly publicUrl: string | null;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly pathStyle: boolean;
      readonly checksums: 'when_supported' | 'when_required';
    };

export function readConfig(env: Environment, workingDir: string): Config {
  const host = setting(env, 'TRIBUTARY_HOST', asHost, '127.0.0.1');
  const port = setting(env, 'TRIBUTARY_PORT', asPort, 8080);
  const metricsPort = setting(env, 'TRIBUTARY_METRICS_PORT', asPort, null);
  const objects = readObjectStorage(env, host);
  refuseSharedPorts({
    TRIBUTARY_PORT: port,
    TRIBUTARY_METRICS_PORT: metricsPort,
    TRIBUTARY_S3_PORT: objects.kind === 'disk' ? objects.port : null,
  });
  return Object.freeze({
    dataDir: resolve(workingDir, env.TRIBUTARY_DATA_DIR || 'data'),
    host,
    port,
    listenUrl: localUrl(host, port),
    publicUrl: setting(env, 'TRIBUTARY_PUBLIC_URL', asHttpUrl, localUrl(host, port)),
    serviceUrl: setting(env, 'TRIBUTARY_URL', asHttpUrl, null),
    trustProxy: setting(env, 'TRIBUTARY_TRUST_PROXY', asTrustProxy, false),
    rateLimit: setting(env, 'TRIBUTARY_RATE_LIMIT', asRate, 6_000),
    metricsPort,
    databaseUrl: setting(env, 'DATABASE_URL', asDatabaseUrl, null),
    databaseSchema: setting(env, 'TRIBUTARY_DATABASE_SCHEMA', asSchemaName, 'tributary'),
    clickhouse: setting(env, 'TRIBUTARY_WAREHOUSE', asClickhouse, null),
    bucket: setting(env, 'TRIBUTARY_BUCKET', asBucketName, 'tributary'),
    objects,
    partnerS3Endpoints: setting(env, 'TRIBUTARY_PARTNER_S3_ENDPOINTS', asRegionEndpoints, {}),
    secretKeys: setting(env, 'TRIBUTARY_SECRET_KEY', asSecretKeys, null),
    adminToken: setting(env, 'TRIBUTARY_ADMIN_TOKEN', asToken, null),
    logLevel: setting(env, 'TRIBUTARY_LOG_LEVEL', asLogLevel, 'info'),
    rejectLimit: setting(env, 'TRIBUTARY_REJECT_LIMIT', asFraction, 0.05),
    suppressionThreshold: setting(env, 'TRIBUTARY_SUPPRESSION_THRESHOLD', asThreshold, 50),
    maxWorkerLosses: setting(env, 'TRIBUTARY_MAX_WORKER_LOSSES', asCount, 5),
    workerConcurrency: setting(env, 'TRIBUTARY_WORKER_CONCURRENCY', asCount, 4),
    loadMemoryBytes: setting(env, 'TRIBUTARY_LOAD_MEMORY_MB', asMegabytes, 192) * 1024 * 1024,
    deletionHours: setting(env, 'TRIBUTARY_DELETION_HOURS', asHours, 24),
    unknownSettings: Object.freeze(Object.keys(env).filter(isUnknown)),
    startedByNpm: ['start', 'npx'].includes(env.npm_lifecycle_event ?? ''),
  });
}

function readObjectStorage(env: Environment, host: string): ObjectStorage {
  const port = setting(env, 'TRIBUTARY_S3_PORT', asPort, 9000);
  const publicUrl = setting(env, 'TRIBUTARY_S3_PUBLIC_URL', asHttpUrl, null);
  const elsewhere = {
    TRIBUTARY_S3_REGION: setting(env, 'TRIBUTARY_S3_REGION', asRegion, null),
    TRIBUTARY_S3_ACCESS_KEY_ID: setting(env, 'TRIBUTARY_S3_ACCESS_KEY_ID', asText, null),
    TRIBUTARY_S3_SECRET_ACCESS_KEY: setting(env, 'TRIBUTARY_S3_SECRET_ACCESS_KEY', asText, null),
  };
  const endpoint = setting(env, 'TRIBUTARY_S3_ENDPOINT', asHttpUrl, null);
  const given = [endpoint, ...Object.values(elsewhere)];
  if (given.every((value) => value === null)) {
    return { kind: 'disk', port, publicUrl: publicUrl ?? localUrl(host, port) };
  }
  const {
    TRIBUTARY_S3_REGION: region,
    TRIBUTARY_S3_ACCESS_KEY_ID: accessKeyId,
    TRIBUTARY_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = elsewhere;
  if (region === null || accessKeyId === null || secretAccessKey === null) {
    const missing = Object.entries(elsewhere).find(([, value]) => value === null)?.[0];
    throw new ConfigError(`${missing} is needed for a bucket that is not the embedded store's`);
  }
  return {
    kind: 's3',
    endpoint,
    publicUrl: publicUrl ?? endpoint,
    region,
    accessKeyId,
    secretAccessKey,
    pathStyle: setting(env, 'TRIBUTARY_S3_PATH_STYLE', asBoolean, endpoint !== null),
    checksums: setting(env, 'TRIBUTARY_S3_TRAILERS', asBoolean, endpoint === null)
      ? 'when_supported'
      : 'when_required',
  };
}

function refuseSharedPorts(ports: Readonly<Record<string, number | null>>): void {
  const taken = new Map<number, string>();
  for (const [name, port] of Object.entries(ports)) {
    if (port === null) continue;
    const other = taken.get(port);
    if (other) throw new ConfigError(`${name} must be another port than ${other}`);
    taken.set(port, name);
  }
}

export function adminTokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}

export function databaseOf(config: ServingConfig): { url: string; schema: string } {
  return { url: config.databaseUrl, schema: config.databaseSchema };
}

const known = new Set([
  'TRIBUTARY_ADMIN_TOKEN',
  'TRIBUTARY_API_KEY',
  'TRIBUTARY_BUCKET',
  'TRIBUTARY_DATABASE_SCHEMA',
  'TRIBUTARY_DATA_DIR',
  'TRIBUTARY_DELETION_HOURS',
  'TRIBUTARY_HOST',
  'TRIBUTARY_LOAD_MEMORY_MB',
  'TRIBUTARY_LOG_LEVEL',
  'TRIBUTARY_MAX_WORKER_LOSSES',
  'TRIBUTARY_METRICS_PORT',
  'TRIBUTARY_PORT',
  'TRIBUTARY_PUBLIC_URL',
  'TRIBUTARY_RATE_LIMIT',
  'TRIBUTARY_REJECT_LIMIT',
  'TRIBUTARY_PARTNER_S3_ENDPOINTS',
  'TRIBUTARY_S3_ACCESS_KEY_ID',
  'TRIBUTARY_S3_ENDPOINT',
  'TRIBUTARY_S3_PATH_STYLE',
  'TRIBUTARY_S3_PORT',
  'TRIBUTARY_S3_PUBLIC_URL',
  'TRIBUTARY_S3_REGION',
  'TRIBUTARY_S3_SECRET_ACCESS_KEY',
  'TRIBUTARY_S3_TRAILERS',
  'TRIBUTARY_SECRET_KEY',
  'TRIBUTARY_SOAK',
  'TRIBUTARY_SUPPRESSION_THRESHOLD',
  'TRIBUTARY_TEST_REQUIRE',
  'TRIBUTARY_TRUST_PROXY',
  'TRIBUTARY_URL',
  'TRIBUTARY_WAREHOUSE',
  'TRIBUTARY_WORKER_CONCURRENCY',
]);

function isUnknown(name: string): boolean {
  return name.startsWith('TRIBUTARY_') && !known.has(name);
}

function localUrl(host: string, port: number): string {
  const anywhere = host === '0.0.0.0' || host === '::';
  const reachable = anywhere ? 'localhost' : host;
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`;
}
