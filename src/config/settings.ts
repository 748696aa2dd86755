import { isIP } from 'node:net';
import { isBucketName } from '../domain/source-path.ts';

/** How single settings are read from the environment. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be used. Its message names the setting and is all that is printed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Reads one setting; unset or empty is the default. The parser returns undefined for what it refuses. */
export function setting<T, D>(
  env: Environment,
  name: string,
  parser: Parser<T>,
  whenUnset: D,
): T | D {
  const value = env[name];
  if (value === undefined || value === '') return whenUnset;
  const parsed = parser.parse(value);
  if (parsed !== undefined) return parsed;
  // A secret may stand in these, and before the @ of any address: then the value is not shown.
  const shown = parser.secret || value.includes('@') ? '' : ` and not ${JSON.stringify(value)}`;
  throw new ConfigError(`${name} must be ${parser.wanted}${shown}`);
}

export interface Parser<T> {
  readonly wanted: string;
  readonly secret?: true;
  parse(value: string): T | undefined;
}

export const asPort: Parser<number> = {
  wanted: 'a port number from 1 to 65535',
  parse: (value) => wholeNumber(value, 1, 65_535),
};

export const asCount: Parser<number> = {
  wanted: 'a whole number from 1 to 100',
  parse: (value) => wholeNumber(value, 1, 100),
};

export const asRate: Parser<number> = {
  wanted: 'a whole number of requests a minute from 1 to 1000000',
  parse: (value) => wholeNumber(value, 1, 1_000_000),
};

export const asMegabytes: Parser<number> = {
  wanted: 'a whole number of megabytes from 16 to 65536',
  parse: (value) => wholeNumber(value, 16, 65_536),
};

export const asHours: Parser<number> = {
  wanted: 'a whole number of hours from 1 to 8760',
  parse: (value) => wholeNumber(value, 1, 8_760),
};

export const asThreshold: Parser<number> = {
  wanted: 'a whole number of devices from 0 to 1000000',
  parse: (value) => wholeNumber(value, 0, 1_000_000),
};

export const asFraction: Parser<number> = {
  wanted: 'a fraction from 0 to 1',
  parse: (value) => (/^\d+(\.\d+)?$/.test(value) && Number(value) <= 1 ? Number(value) : undefined),
};

export const asHost: Parser<string> = {
  wanted: 'an IP address or a host name',
  parse: (value) => (isIP(value) || /^[a-z0-9.-]+$/i.test(value) ? value : undefined),
};

export const asHttpUrl: Parser<string> = {
  wanted: 'an http:// or https:// address without a user or a query',
  parse: (value) => {
    const url = URL.parse(value);
    if (!url || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username || url.password || url.search || url.hash) return undefined;
    return (url.origin + url.pathname).replace(/\/+$/, '');
  },
};

export const asDatabaseUrl: Parser<string> = {
  wanted: 'a postgres:// address',
  secret: true,
  parse: (value) => (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value) ? value : undefined),
};

/** Where a ClickHouse is, whose database, and whether it is one of a cluster's. */
export interface ClickhouseAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly cluster: string | null;
}

export const asClickhouse: Parser<ClickhouseAddress> = {
  wanted:
    'clickhouse://user:password@host:8123/database, and ?cluster=name if it is one of several',
  secret: true,
  parse: (value) => {
    const url = URL.parse(value);
    if (url?.protocol !== 'clickhouse:' || !url.hostname || url.hash) return undefined;
    const { cluster = null, secure = 'false', ...others } = Object.fromEntries(url.searchParams);
    const database = url.pathname.slice(1) || 'tributary';
    const names = cluster === null ? [database] : [database, cluster];
    if (!names.every((name) => /^[a-z_][a-z0-9_]{0,62}$/i.test(name))) return undefined;
    if (Object.keys(others).length > 0 || !/^(true|false)$/.test(secure)) return undefined;
    const [protocol, usualPort] = secure === 'true' ? ['https', '8443'] : ['http', '8123'];
    const [username, password] = [url.username || 'default', url.password].map(percentDecoded);
    if (username === undefined || password === undefined) return undefined;
    const place = `${protocol}://${url.hostname}:${url.port || usualPort}`;
    return { url: place, username, password, database, cluster };
  },
};

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export const asSchemaName: Parser<string> = {
  wanted: 'a lower-case name of letters, digits and underscores',
  parse: (value) => (/^[a-z_][a-z0-9_]{0,62}$/.test(value) ? value : undefined),
};

export const asBucketName: Parser<string> = {
  wanted: 'a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens',
  parse: (value) => (isBucketName(value) ? value : undefined),
};

export const asRegion: Parser<string> = {
  wanted: 'the name of a region, such as us-east-1',
  parse: (value) => (/^[a-z0-9][a-z0-9-]{0,62}$/.test(value) ? value : undefined),
};

export const asText: Parser<string> = {
  wanted: 'printable characters without blanks',
  secret: true,
  parse: (value) => (/^[\x21-\x7e]+$/.test(value) ? value : undefined),
};

export const asBoolean: Parser<boolean> = {
  wanted: 'true or false',
  parse: (value) => (value === 'true' || value === 'false' ? value === 'true' : undefined),
};

/** The first seals, the others only open what they sealed before. */
export const asSecretKeys: Parser<readonly string[]> = {
  wanted: 'a key of at least 32 printable characters, or several with commas between them',
  secret: true,
  parse: (value) => {
    const keys = value.split(',').map((key) => key.trim());
    return keys.every((key) => /^[\x21-\x7e]{32,}$/.test(key)) ? keys : undefined;
  },
};

export const asRegionEndpoints: Parser<Readonly<Record<string, string>>> = {
  wanted: 'JSON, an object of regions and http:// or https:// addresses',
  parse: (value) => {
    const entries = Object.entries(jsonObject(value) ?? { '': null });
    const valid = entries.every(
      ([region, url]) => asRegion.parse(region) && typeof url === 'string' && asHttpUrl.parse(url),
    );
    return valid ? Object.freeze(Object.fromEntries(entries) as Record<string, string>) : undefined;
  },
};

function jsonObject(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? parsed
      : undefined;
  } catch {
    return undefined;
  }
}

export const asToken: Parser<string> = {
  wanted: 'at least 16 printable characters without blanks',
  secret: true,
  parse: (value) => (/^[\x21-\x7e]{16,}$/.test(value) ? value : undefined),
};

export const asLogLevel: Parser<LogLevel> = {
  wanted: `one of ${logLevels.join(', ')}`,
  parse: (value) => logLevels.find((level) => level === value),
};

export const asTrustProxy: Parser<boolean | string> = {
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
