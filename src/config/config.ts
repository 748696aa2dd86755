import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import type { DisclosureRules } from '../domain/disclosure/disclosure.ts';
import type { PrivacyScope } from '../domain/privacy/privacy-request.ts';
import type { ClickhouseAddress, WarehouseAddress } from '../domain/warehouse/address.ts';
import type { WebhookTargets } from '../domain/webhooks/targets.ts';
import { asClickhouse, type LogFormat, type LogLevel, type ReserveSize } from './parsers.ts';
import {
  ConfigError,
  type Environment,
  readSetting,
  type SettingName,
  type SettingValue,
  unknownSettings,
} from './settings.ts';
import { readTraceConfig, type TraceConfig } from './telemetry.ts';

/** Every setting, read once. No other code reads the environment. */
export interface Config {
  readonly dataDir: string;
  /** Space to keep free on the disk of the data dir. Null: the default. */
  readonly diskReserve: ReserveSize | null;
  /** How long files that the database does not know are kept. */
  readonly trashDays: number;
  readonly backup: {
    /** Null: the service does not back itself up. */
    readonly target: string | null;
    readonly hours: number;
    readonly days: number;
    /** Null: no credentials are set. */
    readonly storage: BackupStorage | null;
  };
  readonly drop: {
    /** Null: DROP is not called. */
    readonly apiKey: string | null;
    readonly url: string;
    readonly days: number;
    readonly deadlineDays: number;
    /** Size of a file for DROP. */
    readonly fileBytes: number;
  };
  readonly privacyScope: PrivacyScope;
  readonly webhookTargets: WebhookTargets;
  readonly host: string;
  readonly port: number;
  /** Null: the servers use plain HTTP. */
  readonly tls: TlsFiles | null;
  readonly listenUrl: string;
  /** The URL that clients use, behind a proxy or not. Without a slash at the end. */
  readonly publicUrl: string;
  /** How customers' users get links. Null: the operator hands them over. */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null;
  readonly brand: {
    readonly name: string;
    /** A file. Null: the logo of Tributary. */
    readonly logo: string | null;
  };
  /** Where the command line finds the service. Null: at the public URL. */
  readonly serviceUrl: string | null;
  /** Peers whose X-Forwarded-For header is trusted. */
  readonly trustProxy: boolean | string;
  /** Requests per minute and API key. */
  readonly rateLimit: number;
  readonly maxAttributes: number;
  readonly maxAudiences: number;
  /** Null: the API does not serve metrics. */
  readonly metricsPort: number | null;
  /** Null: the worker does not serve metrics. */
  readonly workerMetricsPort: number | null;
  /** Null: nothing is traced. */
  readonly traces: TraceConfig | null;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  readonly databaseSchema: string;
  /** Null: the embedded engine, in the data dir. */
  readonly clickhouse: WarehouseAddress;
  readonly bucket: string;
  readonly objects: ObjectStorage;
  /** For how many days uploads are kept after they were last loaded. Null: for good. */
  readonly uploadRetentionDays: number | null;
  /** Endpoints of regions that are not AWS's, for partners' own buckets. */
  readonly partnerS3Endpoints: Readonly<Record<string, string>>;
  /** The service's own AWS identity, which assumes roles of partners. Null: partners must send keys. */
  readonly sts: StsConfig | null;
  /** Null: the key generated in the data dir. */
  readonly secretKeys: readonly string[] | null;
  /** Null: the token generated in the data dir. */
  readonly adminToken: string | null;
  readonly logLevel: LogLevel;
  /** Null: depends on whether standard error is a terminal. */
  readonly logFormat: LogFormat | null;
  readonly rejectLimit: number;
  /** How many bytes of rejected rows are kept. */
  readonly rejectAllowance: { readonly bytesPerJob: number; readonly bytesPerPartner: number };
  readonly maxFilesPerJob: number;
  /** What reports may reveal. */
  readonly disclosure: DisclosureRules;
  readonly maxWorkerLosses: number;
  readonly workerConcurrency: number;
  /** Memory budget shared by all loads of a worker. Beyond it they spill to disk. */
  readonly loadMemoryBytes: number;
  /** Time limit for removing the bytes of deleted data from disk. */
  /** The fewest memberships for which a profile is written. */
  readonly profileMin: number | null;
  readonly deletionHours: number;
  /** For how many days jobs, their progress and the audit are kept. */
  readonly retention: {
    readonly jobDays: number;
    readonly progressDays: number;
    readonly auditDays: number;
    readonly auditReadDays: number;
    readonly auditObjectDays: number;
  };
  readonly unknownSettings: readonly string[];
  /** A killed npm or npx does not stop its child process, so the process must watch its parent. */
  readonly startedByNpm: boolean;
  /** The folder for sockets that systemd gives to a service. */
  readonly runtimeDir: string | null;
}

/** The paths of a certificate chain and its private key. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A configuration with a database: the embedded server is running, or DATABASE_URL is set. */
export type ServingConfig = Config & { readonly databaseUrl: string };

/** Where the shared bucket is: in the embedded object store, or in another store. */
type ObjectStorage =
  | {
      readonly kind: 'disk';
      readonly port: number;
      readonly publicUrl: string;
      /** Limits of each partner. */
      readonly requestsPerSecond: number;
      readonly requestsInProgress: number;
      readonly openUploads: number;
    }
  | {
      readonly kind: 's3';
      /** Null: AWS's endpoint of the region. */
      readonly endpoint: string | null;
      /** The URL that partners and browsers use. Null: AWS's endpoint of the region. */
      readonly publicUrl: string | null;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly pathStyle: boolean;
      readonly checksums: 'when_supported' | 'when_required';
    };

/** How to reach a bucket for backups. */
export type BackupStorage = Omit<Extract<ObjectStorage, { kind: 's3' }>, 'kind' | 'publicUrl'>;

interface StsConfig {
  /** The ARN that trust policies name. */
  readonly principal: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** Null: AWS's endpoint of the region. */
  readonly endpoint: string | null;
}

type ReadSetting = <Name extends SettingName>(name: Name) => SettingValue<Name>;

export function readConfig(env: Environment, workingDir: string): Config {
  const read: ReadSetting = (name) => readSetting(env, name);
  const host = read('TRIBUTARY_HOST');
  const port = read('TRIBUTARY_PORT');
  const metricsPort = read('TRIBUTARY_METRICS_PORT');
  const workerMetricsPort = read('TRIBUTARY_WORKER_METRICS_PORT');
  const tls = readTls(read, workingDir);
  const listenUrl = localUrl(host, port, tls);
  const publicUrl = read('TRIBUTARY_PUBLIC_URL') ?? listenUrl;
  const objects = readObjectStorage(read, host, tls);
  if (tls) {
    requireHttps('TRIBUTARY_PUBLIC_URL', publicUrl);
    if (objects.kind === 'disk') requireHttps('TRIBUTARY_S3_PUBLIC_URL', objects.publicUrl);
  }
  refuseSharedPorts({
    TRIBUTARY_PORT: port,
    TRIBUTARY_METRICS_PORT: metricsPort,
    TRIBUTARY_WORKER_METRICS_PORT: workerMetricsPort,
    TRIBUTARY_S3_PORT: objects.kind === 'disk' ? objects.port : null,
  });
  return Object.freeze({
    dataDir: resolve(workingDir, read('TRIBUTARY_DATA_DIR')),
    diskReserve: read('TRIBUTARY_DISK_RESERVE'),
    trashDays: read('TRIBUTARY_TRASH_DAYS'),
    retention: {
      jobDays: read('TRIBUTARY_JOB_DAYS'),
      progressDays: read('TRIBUTARY_PROGRESS_DAYS'),
      auditDays: read('TRIBUTARY_AUDIT_DAYS'),
      auditReadDays: read('TRIBUTARY_AUDIT_READ_DAYS'),
      auditObjectDays: read('TRIBUTARY_AUDIT_OBJECT_DAYS'),
    },
    backup: {
      target: backupTarget(read('TRIBUTARY_BACKUP_TARGET'), workingDir),
      hours: read('TRIBUTARY_BACKUP_HOURS'),
      days: read('TRIBUTARY_BACKUP_DAYS'),
      storage: readBackupStorage(read, objects),
    },
    drop: {
      apiKey: read('TRIBUTARY_DROP_API_KEY'),
      url: dropUrl(read('TRIBUTARY_DROP_URL')),
      days: read('TRIBUTARY_DROP_DAYS'),
      deadlineDays: read('TRIBUTARY_DROP_DEADLINE_DAYS'),
      fileBytes: read('TRIBUTARY_DROP_FILE_SIZE'),
    },
    privacyScope: read('TRIBUTARY_PRIVACY_SCOPE'),
    webhookTargets: read('TRIBUTARY_WEBHOOK_TARGETS'),
    host,
    port,
    tls,
    listenUrl,
    publicUrl,
    mail: readMail(read, publicUrl),
    brand: {
      name: read('TRIBUTARY_BRAND_NAME'),
      logo: optionalPath(read('TRIBUTARY_BRAND_LOGO'), workingDir),
    },
    serviceUrl: read('TRIBUTARY_URL'),
    trustProxy: read('TRIBUTARY_TRUST_PROXY'),
    rateLimit: read('TRIBUTARY_RATE_LIMIT'),
    maxAttributes: read('TRIBUTARY_MAX_ATTRIBUTES'),
    maxAudiences: read('TRIBUTARY_MAX_AUDIENCES'),
    metricsPort,
    workerMetricsPort,
    traces: readTraceConfig(read),
    databaseUrl: read('DATABASE_URL'),
    databaseSchema: read('TRIBUTARY_DATABASE_SCHEMA'),
    clickhouse: read('TRIBUTARY_WAREHOUSE'),
    bucket: read('TRIBUTARY_BUCKET'),
    objects,
    uploadRetentionDays: read('TRIBUTARY_UPLOAD_RETENTION_DAYS'),
    partnerS3Endpoints: read('TRIBUTARY_PARTNER_S3_ENDPOINTS'),
    sts: readSts(read),
    secretKeys: read('TRIBUTARY_SECRET_KEY'),
    adminToken: read('TRIBUTARY_ADMIN_TOKEN'),
    logLevel: read('TRIBUTARY_LOG_LEVEL'),
    logFormat: read('TRIBUTARY_LOG_FORMAT'),
    rejectLimit: read('TRIBUTARY_REJECT_LIMIT'),
    rejectAllowance: {
      bytesPerJob: read('TRIBUTARY_REJECTS_PER_JOB'),
      bytesPerPartner: read('TRIBUTARY_REJECTS_PER_PARTNER'),
    },
    maxFilesPerJob: read('TRIBUTARY_MAX_FILES_PER_JOB'),
    disclosure: {
      mode: read('TRIBUTARY_DISCLOSURE'),
      scale: read('TRIBUTARY_DISCLOSURE_SCALE'),
      contentsPerDay: read('TRIBUTARY_DISCLOSURE_CONTENTS'),
      threshold: read('TRIBUTARY_SUPPRESSION_THRESHOLD'),
    },
    maxWorkerLosses: read('TRIBUTARY_MAX_WORKER_LOSSES'),
    workerConcurrency: read('TRIBUTARY_WORKER_CONCURRENCY'),
    loadMemoryBytes: read('TRIBUTARY_LOAD_MEMORY_MB') * 1024 * 1024,
    profileMin: read('TRIBUTARY_PROFILE_MIN'),
    deletionHours: read('TRIBUTARY_DELETION_HOURS'),
    unknownSettings: Object.freeze(unknownSettings(env)),
    startedByNpm: ['start', 'npx'].includes(env.npm_lifecycle_event ?? ''),
    runtimeDir: env.RUNTIME_DIRECTORY?.split(':')[0] || null,
  });
}

function readTls(read: ReadSetting, workingDir: string): TlsFiles | null {
  const cert = read('TRIBUTARY_TLS_CERT');
  const key = read('TRIBUTARY_TLS_KEY');
  if (cert === null && key === null) return null;
  if (cert === null || key === null) {
    throw new ConfigError('TRIBUTARY_TLS_CERT and TRIBUTARY_TLS_KEY must be set together');
  }
  return { cert: resolve(workingDir, cert), key: resolve(workingDir, key) };
}

function readMail(read: ReadSetting, publicUrl: string): Config['mail'] {
  const smtpUrl = read('TRIBUTARY_SMTP_URL');
  const from = read('TRIBUTARY_MAIL_FROM') ?? `tributary@${new URL(publicUrl).hostname}`;
  return smtpUrl === null ? null : { smtpUrl, from };
}

function optionalPath(path: string | null, workingDir: string): string | null {
  return path === null ? null : resolve(workingDir, path);
}

function requireHttps(name: string, url: string): void {
  if (url.startsWith('https:')) return;
  throw new ConfigError(`${name} must begin with https:// if TRIBUTARY_TLS_CERT is set`);
}

function readObjectStorage(read: ReadSetting, host: string, tls: TlsFiles | null): ObjectStorage {
  const port = read('TRIBUTARY_S3_PORT');
  const publicUrl = read('TRIBUTARY_S3_PUBLIC_URL');
  const elsewhere = {
    TRIBUTARY_S3_REGION: read('TRIBUTARY_S3_REGION'),
    TRIBUTARY_S3_ACCESS_KEY_ID: read('TRIBUTARY_S3_ACCESS_KEY_ID'),
    TRIBUTARY_S3_SECRET_ACCESS_KEY: read('TRIBUTARY_S3_SECRET_ACCESS_KEY'),
  };
  const endpoint = read('TRIBUTARY_S3_ENDPOINT');
  const given = [endpoint, ...Object.values(elsewhere)];
  if (given.every((value) => value === null)) {
    return {
      kind: 'disk',
      port,
      publicUrl: publicUrl ?? localUrl(host, port, tls),
      requestsPerSecond: read('TRIBUTARY_S3_RATE_LIMIT'),
      requestsInProgress: read('TRIBUTARY_S3_CONCURRENCY'),
      openUploads: read('TRIBUTARY_S3_OPEN_UPLOADS'),
    };
  }
  const {
    TRIBUTARY_S3_REGION: region,
    TRIBUTARY_S3_ACCESS_KEY_ID: accessKeyId,
    TRIBUTARY_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = elsewhere;
  if (region === null || accessKeyId === null || secretAccessKey === null) {
    const missing = Object.entries(elsewhere).find(([, value]) => value === null)?.[0];
    throw new ConfigError(`${missing} must be set for a shared bucket outside the embedded store`);
  }
  return {
    kind: 's3',
    endpoint,
    publicUrl: publicUrl ?? endpoint,
    region,
    accessKeyId,
    secretAccessKey,
    pathStyle: read('TRIBUTARY_S3_PATH_STYLE') ?? endpoint !== null,
    checksums:
      (read('TRIBUTARY_S3_TRAILERS') ?? endpoint === null) ? 'when_supported' : 'when_required',
  };
}

function readSts(read: ReadSetting): StsConfig | null {
  const principal = read('TRIBUTARY_STS_PRINCIPAL');
  const accessKeyId = read('TRIBUTARY_STS_ACCESS_KEY_ID');
  const secretAccessKey = read('TRIBUTARY_STS_SECRET_ACCESS_KEY');
  if (principal === null && accessKeyId === null && secretAccessKey === null) return null;
  if (principal === null || accessKeyId === null || secretAccessKey === null) {
    throw new ConfigError(
      'TRIBUTARY_STS_PRINCIPAL, TRIBUTARY_STS_ACCESS_KEY_ID and TRIBUTARY_STS_SECRET_ACCESS_KEY must be set together',
    );
  }
  const region = read('TRIBUTARY_STS_REGION');
  return {
    principal,
    accessKeyId,
    secretAccessKey,
    region,
    endpoint: read('TRIBUTARY_STS_ENDPOINT'),
  };
}

/** Each setting is that of the shared bucket, unless it is set. */
function readBackupStorage(read: ReadSetting, objects: ObjectStorage): BackupStorage | null {
  const shared = objects.kind === 's3' ? objects : null;
  const endpoint = read('TRIBUTARY_BACKUP_S3_ENDPOINT') ?? shared?.endpoint ?? null;
  const region = read('TRIBUTARY_BACKUP_S3_REGION') ?? shared?.region;
  const accessKeyId = read('TRIBUTARY_BACKUP_S3_ACCESS_KEY_ID') ?? shared?.accessKeyId;
  const secretAccessKey = read('TRIBUTARY_BACKUP_S3_SECRET_ACCESS_KEY') ?? shared?.secretAccessKey;
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    return null;
  }
  const usesShared = shared !== null && shared.endpoint === endpoint;
  return {
    endpoint,
    region,
    accessKeyId,
    secretAccessKey,
    pathStyle: usesShared ? shared.pathStyle : endpoint !== null,
    checksums: usesShared ? shared.checksums : endpoint ? 'when_required' : 'when_supported',
  };
}

function backupTarget(setting: string | null, workingDir: string): string | null {
  return setting === null || setting.startsWith('s3://') ? setting : resolve(workingDir, setting);
}

/** Plain HTTP would show the key to the network. */
function dropUrl(url: string): string {
  const { protocol, hostname } = new URL(url);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || isLocal) return url;
  throw new ConfigError('TRIBUTARY_DROP_URL must begin with https://');
}

function refuseSharedPorts(ports: Readonly<Record<string, number | null>>): void {
  const taken = new Map<number, string>();
  for (const [name, port] of Object.entries(ports)) {
    if (port === null) continue;
    const other = taken.get(port);
    if (other) throw new ConfigError(`${name} must differ from ${other}: both are ${port}`);
    taken.set(port, name);
  }
}

export function adminTokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}

/** The folder of the embedded object store. */
export function objectsFolder({ dataDir }: Config): string {
  return join(dataDir, 'objects');
}

/** A value of TRIBUTARY_WAREHOUSE. Undefined if it is invalid. */
export function parseWarehouse(value: string): ClickhouseAddress | undefined {
  return asClickhouse.parse(value);
}

/** The folder of the embedded warehouse. */
export function warehouseFolder({ dataDir }: Config): string {
  return join(dataDir, 'warehouse');
}

/** Whether the data dir holds objects or device sets. */
export function storesFiles({ objects, clickhouse }: Config): boolean {
  return objects.kind === 'disk' || clickhouse === null;
}

export function databaseOf(config: ServingConfig): { url: string; schema: string } {
  return { url: config.databaseUrl, schema: config.databaseSchema };
}

function localUrl(host: string, port: number, tls: TlsFiles | null): string {
  const anywhere = host === '0.0.0.0' || host === '::';
  const reachable = anywhere ? 'localhost' : host;
  return `${tls ? 'https' : 'http'}://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`;
}
