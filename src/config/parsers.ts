import { isIP } from 'node:net';
import { type DisclosureMode, disclosureModes } from '../domain/disclosure/disclosure.ts';
import { limits } from '../domain/limits.ts';
import { type PrivacyScope, privacyScopes } from '../domain/privacy/privacy-request.ts';
import { isBucketName } from '../domain/source-path.ts';
import type { ClickhouseAddress } from '../domain/warehouse/address.ts';
import { type WebhookTargets, webhookTargets } from '../domain/webhooks/targets.ts';

/** Turns the text of a setting into its value, or into undefined if the text is invalid. */
export interface Parser<T> {
  /** Completes the sentence "<setting> must be …". */
  readonly wanted: string;
  /** The value may be or contain a secret, so errors do not show it. */
  readonly secret?: true;
  parse(value: string): T | undefined;
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logFormats = ['json', 'pretty'] as const;
export type LogFormat = (typeof logFormats)[number];

/** One of the given words. */
function asOneOf<const T extends string>(words: readonly T[]): Parser<T> {
  return {
    wanted: `one of ${words.join(', ')}`,
    parse: (value) => words.find((word) => word === value),
  };
}

/** The names that OpenTelemetry gives to ways of choosing traces. */
export const asSampler = asOneOf([
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
]);

/** JSON is sent in either case. Receivers of OTLP over HTTP accept both. */
export const asOtlpProtocol = asOneOf(['http/json', 'http/protobuf']);

/** As in OpenTelemetry: names and values, percent-encoded. */
export const asPairs: Parser<Readonly<Record<string, string>>> = {
  wanted: 'a list such as name=value,other=value',
  secret: true,
  parse: (value) => {
    const pairs = value.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
    if (!pairs.every((pair) => pair !== null)) return undefined;
    try {
      const decoded = pairs.map(([, name = '', text = '']) => [name, decodeURIComponent(text)]);
      return Object.freeze(Object.fromEntries(decoded));
    } catch {
      return undefined;
    }
  },
};

export const asPort = asWholeNumber('a port number', 1, 65_535);
export const asCount = asWholeNumber('a whole number', 1, 100);
export const asLosses = asWholeNumber('a whole number', 3, 100);
export const asFiles = asWholeNumber('a whole number of files', 1, 10_000_000);
export const asRecords = asWholeNumber('a whole number of records', 1, 10_000_000);
export const asRate = asWholeNumber('a whole number of requests', 1, 1_000_000);
export const asConnections = asWholeNumber('a whole number of requests', 1, 10_000);
export const asUploads = asWholeNumber('a whole number of uploads', 1, 100_000);
export const asMegabytes = asWholeNumber('a whole number of megabytes', 16, 65_536);
export const asHours = asWholeNumber('a whole number of hours', 1, 8_760);
export const asDays = asWholeNumber('a whole number of days', 1, 365);
/** More than the hours for which idempotency keys are honoured. */
export const asRetention = asWholeNumber('a whole number of days', 2, 36_500);
export const asUploadDays = asWholeNumber('a whole number of days', 1, limits.uploadRetention.most);
export const asMemberships = asWholeNumber('a whole number of memberships', 2, 1_000_000_000);
export const asThreshold = asWholeNumber('a whole number of devices', 0, 1_000_000);
export const asNoiseScale = asWholeNumber('a whole number of devices', 1, 10_000);
export const asContents = asWholeNumber('a whole number of contents', 1, 1_000_000);

function asWholeNumber(what: string, least: number, most: number): Parser<number> {
  return {
    wanted: `${what} from ${least} to ${most}`,
    parse: (value) => wholeNumber(value, least, most),
  };
}

/** Space to keep free: a size, or a share of the disk. */
export type ReserveSize = { readonly bytes: number } | { readonly share: number };

const unitBytes: Readonly<Record<string, number>> = {
  MB: 1e6,
  MiB: 1024 ** 2,
  GB: 1e9,
  GiB: 1024 ** 3,
  TB: 1e12,
  TiB: 1024 ** 4,
};

export const asBytes: Parser<number> = {
  wanted: 'a size such as 500MB or 2GiB',
  parse: (value) => {
    const [, digits, unit = ''] = /^(\d{1,6}) ?([A-Za-z]{2,3})$/.exec(value) ?? [];
    const factor = unitBytes[unit];
    return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
  },
};

export const asReserve: Parser<ReserveSize> = {
  wanted: '0, a size such as 500MB or 2GiB, or a share of the disk such as 5%',
  parse: (value) => {
    if (value === '0') return { bytes: 0 };
    const bytes = asBytes.parse(value);
    if (bytes !== undefined) return { bytes };
    const [, percent] = /^(\d{1,2}) ?%$/.exec(value) ?? [];
    return Number(percent) <= 50 ? { share: Number(percent) / 100 } : undefined;
  },
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
  wanted: 'an http:// or https:// URL without user, password, query or fragment',
  parse: (value) => {
    const url = URL.parse(value);
    if (!url || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username || url.password || url.search || url.hash) return undefined;
    return (url.origin + url.pathname).replace(/\/+$/, '');
  },
};

export const asSmtpUrl: Parser<string> = {
  wanted: 'smtp://user:password@host:587 or smtps://user:password@host:465',
  secret: true,
  parse: (value) => {
    const url = URL.parse(value);
    return url && /^smtps?:$/.test(url.protocol) && url.hostname ? value : undefined;
  },
};

export const asMailAddress: Parser<string> = {
  wanted: 'an e-mail address',
  parse: (value) => (/^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(value) ? value : undefined),
};

export const asBrandName: Parser<string> = {
  wanted: '1 to 60 printable characters',
  parse: (value) => {
    const name = value.trim();
    return /^[^\p{C}]{1,60}$/u.test(name) ? name : undefined;
  },
};

export const asDatabaseUrl: Parser<string> = {
  wanted: 'a postgres:// URL',
  secret: true,
  parse: (value) => (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value) ? value : undefined),
};

export const asClickhouse: Parser<ClickhouseAddress> = {
  wanted: 'clickhouse://user:password@host:8123/database, with ?cluster=name for a cluster',
  secret: true,
  parse: (value) => {
    const url = URL.parse(value);
    if (url?.protocol !== 'clickhouse:' || !url.hostname || url.hash) return undefined;
    const { cluster = null, secure = 'false', ...others } = Object.fromEntries(url.searchParams);
    const database = url.pathname.slice(1) || 'tributary';
    const names = cluster === null ? [database] : [database, cluster];
    if (!names.every((name) => /^[a-z_][a-z0-9_]{0,62}$/i.test(name))) return undefined;
    if (Object.keys(others).length > 0 || !/^(true|false)$/.test(secure)) return undefined;
    const [protocol, defaultPort] = secure === 'true' ? ['https', '8443'] : ['http', '8123'];
    const [username, password] = [url.username || 'default', url.password].map(percentDecoded);
    if (username === undefined || password === undefined) return undefined;
    const urls = url.hostname
      .split(',')
      .map((host) => `${protocol}://${host}:${url.port || defaultPort}`);
    if (!urls.every((each) => URL.canParse(each))) return undefined;
    const [first, ...otherUrls] = urls as [string, ...string[]];
    if (otherUrls.length > 0 && cluster === null) return undefined;
    const address = { url: first, username, password, database, cluster };
    return otherUrls.length > 0 ? { ...address, otherUrls } : address;
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
  wanted: 'a region name such as us-east-1',
  parse: (value) => (/^[a-z0-9][a-z0-9-]{0,62}$/.test(value) ? value : undefined),
};

export const asArn: Parser<string> = {
  wanted: 'an ARN such as arn:aws:iam::123456789012:user/tributary',
  parse: (value) => (/^arn:[\x21-\x7e]{1,2000}$/.test(value) ? value : undefined),
};

export const asText: Parser<string> = {
  wanted: 'printable ASCII characters without spaces',
  secret: true,
  parse: (value) => (/^[\x21-\x7e]+$/.test(value) ? value : undefined),
};

export const asBoolean: Parser<boolean> = {
  wanted: 'true or false',
  parse: (value) => (value === 'true' || value === 'false' ? value === 'true' : undefined),
};

/** The first key encrypts. The others only decrypt data that was encrypted with them before. */
export const asSecretKeys: Parser<readonly string[]> = {
  wanted: 'a key of at least 32 printable ASCII characters, or several separated by commas',
  secret: true,
  parse: (value) => {
    const keys = value.split(',').map((key) => key.trim());
    return keys.every((key) => /^[\x21-\x7e]{32,}$/.test(key)) ? keys : undefined;
  },
};

export const asRegionEndpoints: Parser<Readonly<Record<string, string>>> = {
  wanted: 'a JSON object that maps regions to http:// or https:// URLs',
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
  wanted: 'at least 32 printable ASCII characters without spaces',
  secret: true,
  parse: (value) => (/^[\x21-\x7e]{32,}$/.test(value) ? value : undefined),
};

export const asLogLevel: Parser<LogLevel> = asOneOf(logLevels);

export const asLogFormat: Parser<LogFormat> = asOneOf(logFormats);

export const asPrivacyScope: Parser<PrivacyScope> = asOneOf(privacyScopes);

export const asWebhookTargets: Parser<WebhookTargets> = asOneOf(webhookTargets);

export const asDisclosure: Parser<DisclosureMode> = asOneOf(disclosureModes);

export const asPath: Parser<string> = {
  wanted: 'a path',
  parse: (value) => value,
};

export const asBackupTarget: Parser<string> = {
  wanted: 'a folder, or s3://bucket/prefix',
  parse: (value) => {
    if (!value.includes('://')) return value;
    const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)(\/.*)?$/.exec(value) ?? [];
    return isBucketName(bucket) ? `s3://${bucket}${prefix.replace(/\/+$/, '')}` : undefined;
  },
};

export const asTrustProxy: Parser<boolean | string> = {
  wanted: 'true, false, or a list of IP addresses and networks separated by commas',
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
