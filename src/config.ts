import { isIP } from 'node:net';
import { join, resolve } from 'node:path';

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
  /** Null: no metrics are served. */
  readonly metricsPort: number | null;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  readonly databaseSchema: string;
  readonly bucket: string;
  /** Null: the one generated into the data dir. */
  readonly adminToken: string | null;
  readonly logLevel: LogLevel;
  readonly rejectLimit: number;
  readonly maxWorkerLosses: number;
  readonly workerConcurrency: number;
  /** Names that look like ours but are not: a misspelt setting is one silently not made. */
  readonly unknownSettings: readonly string[];
  /** npm does not wait for us when it is killed, so we watch for its going. */
  readonly startedByNpm: boolean;
}

/** A configuration whose database is known: the embedded server is running, or there is another. */
export type ServingConfig = Config & { readonly databaseUrl: string };

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** A setting that cannot be used. Its message names the setting and is all that is printed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(env: Environment, workingDir: string): Config {
  const host = setting(env, 'TRIBUTARY_HOST', asHost, '127.0.0.1');
  const port = setting(env, 'TRIBUTARY_PORT', asPort, 8080);
  const metricsPort = setting(env, 'TRIBUTARY_METRICS_PORT', asPort, null);
  if (metricsPort === port) {
    throw new ConfigError('TRIBUTARY_METRICS_PORT must be another port than TRIBUTARY_PORT');
  }
  return Object.freeze({
    dataDir: resolve(workingDir, env.TRIBUTARY_DATA_DIR || 'data'),
    host,
    port,
    listenUrl: localUrl(host, port),
    publicUrl: setting(env, 'TRIBUTARY_PUBLIC_URL', asHttpUrl, localUrl(host, port)),
    serviceUrl: setting(env, 'TRIBUTARY_URL', asHttpUrl, null),
    trustProxy: setting(env, 'TRIBUTARY_TRUST_PROXY', asTrustProxy, false),
    metricsPort,
    databaseUrl: setting(env, 'DATABASE_URL', asDatabaseUrl, null),
    databaseSchema: setting(env, 'TRIBUTARY_DATABASE_SCHEMA', asSchemaName, 'tributary'),
    bucket: setting(env, 'TRIBUTARY_BUCKET', asBucketName, 'tributary'),
    adminToken: setting(env, 'TRIBUTARY_ADMIN_TOKEN', asToken, null),
    logLevel: setting(env, 'TRIBUTARY_LOG_LEVEL', asLogLevel, 'info'),
    rejectLimit: setting(env, 'TRIBUTARY_REJECT_LIMIT', asFraction, 0.05),
    maxWorkerLosses: setting(env, 'TRIBUTARY_MAX_WORKER_LOSSES', asCount, 5),
    workerConcurrency: setting(env, 'TRIBUTARY_WORKER_CONCURRENCY', asCount, 4),
    unknownSettings: Object.freeze(Object.keys(env).filter(isUnknown)),
    startedByNpm: env.npm_lifecycle_event === 'start',
  });
}

export function adminTokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}

export function databaseOf(config: ServingConfig): { url: string; schema: string } {
  return { url: config.databaseUrl, schema: config.databaseSchema };
}

const known = new Set([
  'TRIBUTARY_ADMIN_TOKEN',
  'TRIBUTARY_BUCKET',
  'TRIBUTARY_DATABASE_SCHEMA',
  'TRIBUTARY_DATA_DIR',
  'TRIBUTARY_HOST',
  'TRIBUTARY_LOG_LEVEL',
  'TRIBUTARY_MAX_WORKER_LOSSES',
  'TRIBUTARY_METRICS_PORT',
  'TRIBUTARY_PORT',
  'TRIBUTARY_PUBLIC_URL',
  'TRIBUTARY_REJECT_LIMIT',
  'TRIBUTARY_SOAK',
  'TRIBUTARY_TEST_REQUIRE',
  'TRIBUTARY_TRUST_PROXY',
  'TRIBUTARY_URL',
  'TRIBUTARY_WORKER_CONCURRENCY',
]);

function isUnknown(name: string): boolean {
  return name.startsWith('TRIBUTARY_') && !known.has(name);
}

/** Reads one setting; unset or empty is the default. The parser returns undefined for what it refuses. */
function setting<T, D>(env: Environment, name: string, parser: Parser<T>, whenUnset: D): T | D {
  const value = env[name];
  if (value === undefined || value === '') return whenUnset;
  const parsed = parser.parse(value);
  if (parsed !== undefined) return parsed;
  // A secret may stand in these, and before the @ of any address: then the value is not shown.
  const shown = parser.secret || value.includes('@') ? '' : ` and not ${JSON.stringify(value)}`;
  throw new ConfigError(`${name} must be ${parser.wanted}${shown}`);
}

interface Parser<T> {
  readonly wanted: string;
  readonly secret?: true;
  parse(value: string): T | undefined;
}

const asPort: Parser<number> = {
  wanted: 'a port number from 1 to 65535',
  parse: (value) => wholeNumber(value, 1, 65_535),
};

const asCount: Parser<number> = {
  wanted: 'a whole number from 1 to 100',
  parse: (value) => wholeNumber(value, 1, 100),
};

const asFraction: Parser<number> = {
  wanted: 'a fraction from 0 to 1',
  parse: (value) => (/^\d+(\.\d+)?$/.test(value) && Number(value) <= 1 ? Number(value) : undefined),
};

const asHost: Parser<string> = {
  wanted: 'an IP address or a host name',
  parse: (value) => (isIP(value) || /^[a-z0-9.-]+$/i.test(value) ? value : undefined),
};

const asHttpUrl: Parser<string> = {
  wanted: 'an http:// or https:// address without a user or a query',
  parse: (value) => {
    const url = URL.parse(value);
    if (!url || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username || url.password || url.search || url.hash) return undefined;
    return (url.origin + url.pathname).replace(/\/+$/, '');
  },
};

const asDatabaseUrl: Parser<string> = {
  wanted: 'a postgres:// address',
  secret: true,
  parse: (value) => (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value) ? value : undefined),
};

const asSchemaName: Parser<string> = {
  wanted: 'a lower-case name of letters, digits and underscores',
  parse: (value) => (/^[a-z_][a-z0-9_]{0,62}$/.test(value) ? value : undefined),
};

const asBucketName: Parser<string> = {
  wanted: 'a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens',
  parse: (value) => (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) ? value : undefined),
};

const asToken: Parser<string> = {
  wanted: 'at least 16 printable characters without blanks',
  secret: true,
  parse: (value) => (/^[\x21-\x7e]{16,}$/.test(value) ? value : undefined),
};

const asLogLevel: Parser<LogLevel> = {
  wanted: `one of ${logLevels.join(', ')}`,
  parse: (value) => logLevels.find((level) => level === value),
};

const asTrustProxy: Parser<boolean | string> = {
  wanted: 'true, false or a list of addresses and networks',
  parse: (value) => {
    if (value === 'true' || value === 'false') return value === 'true';
    const peers = value.split(',').map((peer) => peer.trim());
    return peers.every(isAddressOrNetwork) ? peers.join(',') : undefined;
  },
};

function isAddressOrNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || wholeNumber(length, 1, family === 4 ? 32 : 128) !== undefined;
}

function wholeNumber(value: string, least: number, most: number): number | undefined {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}

function localUrl(host: string, port: number): string {
  const anywhere = host === '0.0.0.0' || host === '::';
  const reachable = anywhere ? 'localhost' : host;
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`;
}
