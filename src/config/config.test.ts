import { describe, expect, test } from 'vitest';
import { adminTokenFile, type Config, databaseOf, readConfig } from './config.ts';
import { ConfigError } from './settings.ts';

function read(env: Record<string, string | undefined>): Config {
  return readConfig(env, '/srv/tributary');
}

function refusal(env: Record<string, string>): string {
  try {
    read(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error(`${JSON.stringify(env)} was accepted`);
}

test('every setting has a default', () => {
  expect(read({})).toEqual({
    dataDir: '/srv/tributary/data',
    diskReserve: null,
    trashDays: 7,
    retention: {
      jobDays: 400,
      progressDays: 7,
      auditDays: 400,
      auditReadDays: 30,
      auditObjectDays: 90,
    },
    backup: { target: null, hours: 24, days: 14, storage: null },
    drop: {
      apiKey: null,
      url: 'https://api.drop.privacy.ca.gov',
      days: 7,
      deadlineDays: 45,
      fileBytes: 10_000_000,
    },
    privacyScope: 'everything',
    webhookTargets: 'public',
    host: '127.0.0.1',
    port: 8080,
    tls: null,
    listenUrl: 'http://127.0.0.1:8080',
    publicUrl: 'http://127.0.0.1:8080',
    mail: null,
    brand: { name: 'Tributary', logo: null },
    serviceUrl: null,
    trustProxy: false,
    rateLimit: 6_000,
    maxAttributes: 10_000,
    maxAudiences: 100_000,
    metricsPort: null,
    workerMetricsPort: null,
    traces: null,
    databaseUrl: null,
    databaseSchema: 'tributary',
    clickhouse: null,
    bucket: 'tributary',
    objects: {
      kind: 'disk',
      port: 9000,
      publicUrl: 'http://127.0.0.1:9000',
      requestsPerSecond: 500,
      requestsInProgress: 100,
      openUploads: 1_000,
    },
    uploadRetentionDays: null,
    partnerS3Endpoints: {},
    sts: null,
    secretKeys: null,
    adminToken: null,
    logLevel: 'info',
    logFormat: null,
    rejectLimit: 0.05,
    rejectAllowance: { bytesPerJob: 100 * 1024 ** 2, bytesPerPartner: 1024 ** 3 },
    maxFilesPerJob: 1_000_000,
    disclosure: { mode: 'protected', scale: 10, contentsPerDay: 200, threshold: 50 },
    maxWorkerLosses: 5,
    workerConcurrency: 4,
    loadMemoryBytes: 192 * 1024 * 1024,
    profileMin: null,
    deletionHours: 24,
    unknownSettings: [],
    startedByNpm: false,
    runtimeDir: null,
  });
});

test('every setting is read', () => {
  const config = read({
    TRIBUTARY_DATA_DIR: '../elsewhere',
    TRIBUTARY_DISK_RESERVE: '500MB',
    TRIBUTARY_TRASH_DAYS: '30',
    TRIBUTARY_JOB_DAYS: '30',
    TRIBUTARY_PROGRESS_DAYS: '3',
    TRIBUTARY_AUDIT_DAYS: '90',
    TRIBUTARY_AUDIT_READ_DAYS: '7',
    TRIBUTARY_AUDIT_OBJECT_DAYS: '14',
    TRIBUTARY_BACKUP_TARGET: '../backups',
    TRIBUTARY_BACKUP_HOURS: '12',
    TRIBUTARY_BACKUP_DAYS: '30',
    TRIBUTARY_BACKUP_S3_ENDPOINT: 'http://minio:9000',
    TRIBUTARY_BACKUP_S3_REGION: 'us-east-1',
    TRIBUTARY_BACKUP_S3_ACCESS_KEY_ID: 'backup',
    TRIBUTARY_BACKUP_S3_SECRET_ACCESS_KEY: 'secret',
    TRIBUTARY_DROP_API_KEY: 'key-of-drop',
    TRIBUTARY_DROP_URL: 'https://api.drop.privacy.ca.gov/sandbox/',
    TRIBUTARY_DROP_DAYS: '3',
    TRIBUTARY_DROP_DEADLINE_DAYS: '30',
    TRIBUTARY_DROP_FILE_SIZE: '2MB',
    TRIBUTARY_PRIVACY_SCOPE: 'marketplace',
    TRIBUTARY_WEBHOOK_TARGETS: 'any',
    TRIBUTARY_HOST: '::1',
    TRIBUTARY_PORT: '9001',
    TRIBUTARY_PUBLIC_URL: 'https://api.example.com/tributary/',
    TRIBUTARY_URL: 'http://api.internal:8080',
    TRIBUTARY_TRUST_PROXY: '10.0.0.0/8, 192.168.1.1,fd00::/8',
    TRIBUTARY_RATE_LIMIT: '120',
    TRIBUTARY_MAX_ATTRIBUTES: '20',
    TRIBUTARY_MAX_AUDIENCES: '30',
    TRIBUTARY_METRICS_PORT: '9002',
    TRIBUTARY_WORKER_METRICS_PORT: '9004',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-team = y',
    OTEL_SERVICE_NAME: 'loader',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    DATABASE_URL: 'postgres://user:secret@db/tributary',
    TRIBUTARY_DATABASE_SCHEMA: 'my_schema',
    TRIBUTARY_WAREHOUSE: 'clickhouse://loader:secret@ch1:8123/warehouse?cluster=pair',
    TRIBUTARY_BUCKET: 'my-bucket',
    TRIBUTARY_S3_PORT: '9003',
    TRIBUTARY_S3_PUBLIC_URL: 'https://s3.example.com',
    TRIBUTARY_S3_RATE_LIMIT: '50',
    TRIBUTARY_S3_CONCURRENCY: '20',
    TRIBUTARY_S3_OPEN_UPLOADS: '10',
    TRIBUTARY_UPLOAD_RETENTION_DAYS: '30',
    TRIBUTARY_PARTNER_S3_ENDPOINTS: '{"minio-1": "http://minio:9000"}',
    TRIBUTARY_STS_PRINCIPAL: 'arn:aws:iam::123456789012:user/tributary',
    TRIBUTARY_STS_ACCESS_KEY_ID: 'AKIA',
    TRIBUTARY_STS_SECRET_ACCESS_KEY: 'a-secret-of-aws',
    TRIBUTARY_STS_REGION: 'eu-central-1',
    TRIBUTARY_STS_ENDPOINT: 'http://sts:9000',
    TRIBUTARY_SECRET_KEY: `${'n'.repeat(32)}, ${'o'.repeat(40)}`,
    TRIBUTARY_ADMIN_TOKEN: 'thirty-two-or-more-characters-long',
    TRIBUTARY_TLS_CERT: 'tls.crt',
    TRIBUTARY_TLS_KEY: '/etc/tls.key',
    TRIBUTARY_LOG_LEVEL: 'warn',
    TRIBUTARY_LOG_FORMAT: 'pretty',
    TRIBUTARY_REJECT_LIMIT: '0.2',
    TRIBUTARY_REJECTS_PER_JOB: '20MB',
    TRIBUTARY_REJECTS_PER_PARTNER: '2 GB',
    TRIBUTARY_MAX_FILES_PER_JOB: '50',
    TRIBUTARY_SUPPRESSION_THRESHOLD: '0',
    TRIBUTARY_DISCLOSURE: 'exact',
    TRIBUTARY_DISCLOSURE_SCALE: '20',
    TRIBUTARY_DISCLOSURE_CONTENTS: '30',
    TRIBUTARY_MAX_WORKER_LOSSES: '3',
    TRIBUTARY_WORKER_CONCURRENCY: '2',
    TRIBUTARY_LOAD_MEMORY_MB: '512',
    TRIBUTARY_PROFILE_MIN: '1000',
    TRIBUTARY_DELETION_HOURS: '72',
    npm_lifecycle_event: 'start',
    RUNTIME_DIRECTORY: '/run/tributary:/run/other',
  });
  expect(config).toEqual({
    dataDir: '/srv/elsewhere',
    diskReserve: { bytes: 500_000_000 },
    trashDays: 30,
    retention: {
      jobDays: 30,
      progressDays: 3,
      auditDays: 90,
      auditReadDays: 7,
      auditObjectDays: 14,
    },
    backup: {
      target: '/srv/backups',
      hours: 12,
      days: 30,
      storage: {
        endpoint: 'http://minio:9000',
        region: 'us-east-1',
        accessKeyId: 'backup',
        secretAccessKey: 'secret',
        pathStyle: true,
        checksums: 'when_required',
      },
    },
    drop: {
      apiKey: 'key-of-drop',
      url: 'https://api.drop.privacy.ca.gov/sandbox',
      days: 3,
      deadlineDays: 30,
      fileBytes: 2_000_000,
    },
    privacyScope: 'marketplace',
    webhookTargets: 'any',
    host: '::1',
    port: 9001,
    tls: { cert: '/srv/tributary/tls.crt', key: '/etc/tls.key' },
    listenUrl: 'https://[::1]:9001',
    publicUrl: 'https://api.example.com/tributary',
    mail: null,
    brand: { name: 'Tributary', logo: null },
    serviceUrl: 'http://api.internal:8080',
    trustProxy: '10.0.0.0/8,192.168.1.1,fd00::/8',
    rateLimit: 120,
    maxAttributes: 20,
    maxAudiences: 30,
    metricsPort: 9002,
    workerMetricsPort: 9004,
    traces: {
      url: 'http://collector:4318/v1/traces',
      headers: { authorization: 'Bearer x', 'x-team': 'y' },
      serviceName: 'loader',
      resource: { 'deployment.environment.name': 'prod' },
      sampler: { ratio: 0.25, followsParent: true },
    },
    databaseUrl: 'postgres://user:secret@db/tributary',
    databaseSchema: 'my_schema',
    clickhouse: {
      url: 'http://ch1:8123',
      username: 'loader',
      password: 'secret',
      database: 'warehouse',
      cluster: 'pair',
    },
    bucket: 'my-bucket',
    objects: {
      kind: 'disk',
      port: 9003,
      publicUrl: 'https://s3.example.com',
      requestsPerSecond: 50,
      requestsInProgress: 20,
      openUploads: 10,
    },
    uploadRetentionDays: 30,
    partnerS3Endpoints: { 'minio-1': 'http://minio:9000' },
    sts: {
      principal: 'arn:aws:iam::123456789012:user/tributary',
      accessKeyId: 'AKIA',
      secretAccessKey: 'a-secret-of-aws',
      region: 'eu-central-1',
      endpoint: 'http://sts:9000',
    },
    secretKeys: ['n'.repeat(32), 'o'.repeat(40)],
    adminToken: 'thirty-two-or-more-characters-long',
    logLevel: 'warn',
    logFormat: 'pretty',
    rejectLimit: 0.2,
    rejectAllowance: { bytesPerJob: 20e6, bytesPerPartner: 2e9 },
    maxFilesPerJob: 50,
    disclosure: { mode: 'exact', scale: 20, contentsPerDay: 30, threshold: 0 },
    maxWorkerLosses: 3,
    workerConcurrency: 2,
    loadMemoryBytes: 512 * 1024 * 1024,
    profileMin: 1_000,
    deletionHours: 72,
    unknownSettings: [],
    startedByNpm: true,
    runtimeDir: '/run/tributary',
  });
});

test.each([
  ['2GiB', { bytes: 2 * 1024 ** 3 }],
  ['10 GB', { bytes: 10_000_000_000 }],
  ['64MiB', { bytes: 64 * 1024 ** 2 }],
  ['5%', { share: 0.05 }],
  ['0', { bytes: 0 }],
])('a reserve can be %s', (text, size) => {
  expect(read({ TRIBUTARY_DISK_RESERVE: text }).diskReserve).toEqual(size);
});

test('backups go to a folder or a bucket, by default with the credentials of the shared bucket', () => {
  const shared = {
    TRIBUTARY_S3_REGION: 'eu-central-1',
    TRIBUTARY_S3_ACCESS_KEY_ID: 'AKIA',
    TRIBUTARY_S3_SECRET_ACCESS_KEY: 'a-secret-of-aws',
  };
  const { backup } = read({ ...shared, TRIBUTARY_BACKUP_TARGET: 's3://backups/tributary/' });
  expect(backup).toMatchObject({
    target: 's3://backups/tributary',
    storage: { endpoint: null, region: 'eu-central-1', accessKeyId: 'AKIA', pathStyle: false },
  });
  const elsewhere = read({ ...shared, TRIBUTARY_BACKUP_S3_ENDPOINT: 'http://minio:9000' });
  expect(elsewhere.backup.storage).toMatchObject({
    endpoint: 'http://minio:9000',
    pathStyle: true,
  });
  expect(refusal({ TRIBUTARY_BACKUP_TARGET: 's3://B/x' })).toBe(
    'TRIBUTARY_BACKUP_TARGET must be a folder, or s3://bucket/prefix, not "s3://B/x"',
  );
});

test('roles need the ARN of the service and both keys', () => {
  const principal = { TRIBUTARY_STS_PRINCIPAL: 'arn:aws:iam::123456789012:user/tributary' };
  const keys = { TRIBUTARY_STS_ACCESS_KEY_ID: 'AKIA', TRIBUTARY_STS_SECRET_ACCESS_KEY: 'secret' };
  expect(read({ ...principal, ...keys }).sts).toMatchObject({
    region: 'us-east-1',
    endpoint: null,
  });
  for (const part of [principal, keys]) expect(refusal(part)).toMatch(/must be set together$/);
});

test("the key of DROP is not sent over another machine's plain HTTP", () => {
  expect(read({ TRIBUTARY_DROP_URL: 'http://127.0.0.1:4000' }).drop.url).toBe(
    'http://127.0.0.1:4000',
  );
  expect(refusal({ TRIBUTARY_DROP_URL: 'http://drop.example.com' })).toBe(
    'TRIBUTARY_DROP_URL must begin with https://',
  );
});

describe('a certificate', () => {
  const tls = { TRIBUTARY_TLS_CERT: 'a.crt', TRIBUTARY_TLS_KEY: 'a.key' };

  test('makes every default URL begin with https', () => {
    const { listenUrl, publicUrl, objects } = read(tls);
    expect([listenUrl, publicUrl]).toEqual(Array(2).fill('https://127.0.0.1:8080'));
    expect(objects).toMatchObject({ publicUrl: 'https://127.0.0.1:9000' });
  });

  test('needs its key, and URLs that begin with https', () => {
    const together = 'TRIBUTARY_TLS_CERT and TRIBUTARY_TLS_KEY must be set together';
    for (const name of Object.keys(tls)) expect(refusal({ ...tls, [name]: '' })).toBe(together);
    for (const name of ['TRIBUTARY_PUBLIC_URL', 'TRIBUTARY_S3_PUBLIC_URL']) {
      expect(refusal({ ...tls, [name]: 'http://tributary.example.com' })).toBe(
        `${name} must begin with https:// if TRIBUTARY_TLS_CERT is set`,
      );
    }
  });
});

describe('a shared bucket outside the embedded store', () => {
  const elsewhere = {
    TRIBUTARY_S3_REGION: 'eu-central-1',
    TRIBUTARY_S3_ACCESS_KEY_ID: 'AKIA',
    TRIBUTARY_S3_SECRET_ACCESS_KEY: 'a-secret-of-aws',
  };

  test('is on AWS unless an endpoint is set', () => {
    expect(read(elsewhere).objects).toEqual({
      kind: 's3',
      endpoint: null,
      publicUrl: null,
      region: 'eu-central-1',
      accessKeyId: 'AKIA',
      secretAccessKey: 'a-secret-of-aws',
      pathStyle: false,
      checksums: 'when_supported',
    });
    const onMinio = read({ ...elsewhere, TRIBUTARY_S3_ENDPOINT: 'http://minio:9000/' });
    expect(onMinio.objects).toMatchObject({
      endpoint: 'http://minio:9000',
      publicUrl: 'http://minio:9000',
      pathStyle: true,
      checksums: 'when_required',
    });
    const behindProxy = read({
      ...elsewhere,
      TRIBUTARY_S3_ENDPOINT: 'http://minio:9000',
      TRIBUTARY_S3_PUBLIC_URL: 'https://s3.example.com/',
    });
    expect(behindProxy.objects).toMatchObject({
      endpoint: 'http://minio:9000',
      publicUrl: 'https://s3.example.com',
    });
  });

  test.each(Object.keys(elsewhere))('requires %s, and the error names it', (name) => {
    expect(refusal({ ...elsewhere, [name]: '' })).toBe(
      `${name} must be set for a shared bucket outside the embedded store`,
    );
  });
});

test('two servers cannot share a port', () => {
  expect(refusal({ TRIBUTARY_PORT: '9000' })).toBe(
    'TRIBUTARY_S3_PORT must differ from TRIBUTARY_PORT: both are 9000',
  );
});

test('an empty setting counts as unset', () => {
  const names = ['TRIBUTARY_PORT', 'TRIBUTARY_DATA_DIR', 'DATABASE_URL', 'TRIBUTARY_ADMIN_TOKEN'];
  expect(read(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(read({}));
});

test('a service that listens on all addresses is reached at localhost', () => {
  expect(read({ TRIBUTARY_HOST: '0.0.0.0' }).publicUrl).toBe('http://localhost:8080');
  expect(read({ TRIBUTARY_HOST: '::' }).publicUrl).toBe('http://localhost:8080');
  expect(read({ TRIBUTARY_HOST: 'node-3.internal' }).publicUrl).toBe('http://node-3.internal:8080');
});

describe('an invalid value is refused in one line that names the setting', () => {
  const wrong: Record<string, string[]> = {
    TRIBUTARY_HOST: ['a b', 'http://x', 'host:80', 'ho\nst', '/'],
    TRIBUTARY_PORT: ['0', '65536', '-1', '80.5', '8080 ', '0x50', '1e3', 'http', '99999999999'],
    TRIBUTARY_MAIL_FROM: ['nobody', 'a b'],
    TRIBUTARY_METRICS_PORT: ['0', '65536', 'yes'],
    TRIBUTARY_WORKER_METRICS_PORT: ['0', '65536', 'yes'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'grpc://collector:4317'],
    OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc'],
    OTEL_TRACES_SAMPLER: ['sometimes'],
    OTEL_TRACES_SAMPLER_ARG: ['2', 'x'],
    OTEL_SDK_DISABLED: ['yes'],
    TRIBUTARY_PUBLIC_URL: [
      'example.com',
      'ftp://x',
      'http://',
      'http://x?y=1',
      'http://x#y',
      '//x',
    ],
    TRIBUTARY_URL: ['localhost:8080', 'unix:/socket'],
    TRIBUTARY_TRUST_PROXY: [
      'yes',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '::1/129',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      '10.0.0.1,',
      'proxy.internal',
      '1',
    ],
    TRIBUTARY_RATE_LIMIT: ['0', '1000001', '6k', '-1', '1.5'],
    TRIBUTARY_DATABASE_SCHEMA: ['Public', 'a-b', '1a', 'a;drop', 'x'.repeat(64)],
    TRIBUTARY_S3_PORT: ['0', 'nine'],
    TRIBUTARY_S3_PUBLIC_URL: ['s3.example.com'],
    TRIBUTARY_S3_ENDPOINT: ['minio:9000'],
    TRIBUTARY_S3_REGION: ['a b', 'eu/central', '-x'],
    TRIBUTARY_PARTNER_S3_ENDPOINTS: [
      'x',
      '[]',
      'null',
      '{"a": 1}',
      '{"a": "b"}',
      '{"a/b": "http://x"}',
    ],
    TRIBUTARY_BUCKET: ['ab', 'UPPER', 'a_b', '-ab', 'ab-', 'x'.repeat(64), 'a/b'],
    TRIBUTARY_LOG_LEVEL: ['verbose', 'INFO', 'trace'],
    TRIBUTARY_LOG_FORMAT: ['text', 'JSON'],
    TRIBUTARY_PRIVACY_SCOPE: ['all', 'Marketplace'],
    TRIBUTARY_WEBHOOK_TARGETS: ['private', 'Any'],
    TRIBUTARY_REJECTS_PER_JOB: ['20', '20 mb', '1.5GB', '-1MB', 'MB', '5%'],
    TRIBUTARY_REJECT_LIMIT: ['5%', '-0.1', '1.1', '.5', '1e-2', 'NaN', 'Infinity'],
    TRIBUTARY_DISCLOSURE: ['none'],
    TRIBUTARY_DISCLOSURE_SCALE: ['0', '10001', '1.5'],
    TRIBUTARY_DISCLOSURE_CONTENTS: ['0', '1000001'],
    TRIBUTARY_SUPPRESSION_THRESHOLD: ['-1', '0.5', '1000001', 'fifty'],
    TRIBUTARY_MAX_WORKER_LOSSES: ['2', '101', '3.5'],
    TRIBUTARY_WORKER_CONCURRENCY: ['0', '101', 'many'],
    TRIBUTARY_LOAD_MEMORY_MB: ['0', '15', '65537', '1GB'],
    TRIBUTARY_DISK_RESERVE: ['500', '1.5GB', '2PB', '51%', '-1GB', '5 %%'],
    TRIBUTARY_TRASH_DAYS: ['0', '366', '1w'],
    TRIBUTARY_UPLOAD_RETENTION_DAYS: ['0', '731', '30d', 'off'],
    TRIBUTARY_PROFILE_MIN: ['1', '1.5', 'many'],
    TRIBUTARY_DELETION_HOURS: ['0', '8761', '1d'],
  };

  test.each(Object.entries(wrong))('%s', (name, values) => {
    for (const value of values) {
      const line = refusal({ [name]: value });
      expect(line).toMatch(new RegExp(`^${name} must be `));
      expect(line).toContain(`, not ${JSON.stringify(value)}`);
      expect(line).not.toContain('\n');
    }
  });

  test('without showing a value that may be a secret', () => {
    const secrets: Record<string, string[]> = {
      TRIBUTARY_WAREHOUSE: [
        'http://user:hunter2@host:8123/db',
        'clickhouse://user:hunter2@host/db?clusters=pair',
        'clickhouse://user:hunter2@host/db?cluster=a;b',
        'clickhouse://user:hunter2@host/d-b',
        'clickhouse://user:hunter2%@host/db',
        'clickhouse:///hunter2',
        'clickhouse://user:hunter2@host,other/db',
        'clickhouse://user:hunter2@host,,other/db?cluster=pair',
      ],
      DATABASE_URL: ['mysql://user:hunter2@host/db', 'hunter2', 'postgres://[hunter2'],
      TRIBUTARY_ADMIN_TOKEN: [
        'hunter2',
        'hunter2'.padEnd(31, 'x'),
        'hunter2 with blanks in it, but long',
        'hunter2-with-an-ümlaut-in-it-and-long',
      ],
      TRIBUTARY_SECRET_KEY: ['hunter2', `${'x'.repeat(32)},hunter2`, `${'hunter2'.repeat(5)},`],
      TRIBUTARY_S3_SECRET_ACCESS_KEY: ['hunter2 with a blank in it'],
      TRIBUTARY_PUBLIC_URL: ['http://user:hunter2@host/', 'https://hunter2@host'],
      TRIBUTARY_URL: ['http://user:hunter2@host/?x=1'],
      TRIBUTARY_HOST: ['user:hunter2@host'],
      TRIBUTARY_SMTP_URL: ['http://user:hunter2@host', 'user:hunter2@host', 'smtp://[hunter2'],
    };
    for (const [name, values] of Object.entries(secrets)) {
      for (const value of values) {
        const line = refusal({ [name]: value });
        expect(line).toMatch(new RegExp(`^${name} must be `));
        expect(line).not.toContain('hunter2');
      }
    }
  });

  test('even if it only conflicts with another setting', () => {
    const line = refusal({ TRIBUTARY_PORT: '9000', TRIBUTARY_METRICS_PORT: '9000' });
    expect(line).toBe('TRIBUTARY_METRICS_PORT must differ from TRIBUTARY_PORT: both are 9000');
    expect(refusal({ TRIBUTARY_METRICS_PORT: '8080' })).toBe(line.replace('9000', '8080'));
    const both = { TRIBUTARY_METRICS_PORT: '9464', TRIBUTARY_WORKER_METRICS_PORT: '9464' };
    expect(refusal(both)).toBe(
      'TRIBUTARY_WORKER_METRICS_PORT must differ from TRIBUTARY_METRICS_PORT: both are 9464',
    );
  });
});

test('a URL is normalised', () => {
  const url = (value: string) => read({ TRIBUTARY_PUBLIC_URL: value }).publicUrl;
  expect(url('HTTPS://Example.COM:443//')).toBe('https://example.com');
  expect(url(' http://example.com/a/b/ ')).toBe('http://example.com/a/b');
  expect(url('http://example.com?')).toBe('http://example.com');
});

test('a ClickHouse warehouse is one server or a cluster', () => {
  const warehouse = (value: string) => read({ TRIBUTARY_WAREHOUSE: value }).clickhouse;
  expect(warehouse('clickhouse://loader:s%3Acr%40t@ch1:8124/db?cluster=pair')).toEqual({
    url: 'http://ch1:8124',
    username: 'loader',
    password: 's:cr@t',
    database: 'db',
    cluster: 'pair',
  });
  expect(warehouse('clickhouse://ch1')).toEqual({
    url: 'http://ch1:8123',
    username: 'default',
    password: '',
    database: 'tributary',
    cluster: null,
  });
  expect(warehouse('clickhouse://[::1]/db?secure=true')?.url).toBe('https://[::1]:8443');
  expect(warehouse('clickhouse://ch1,ch2,ch3:8124/db?cluster=pair')).toMatchObject({
    url: 'http://ch1:8124',
    otherUrls: ['http://ch2:8124', 'http://ch3:8124'],
  });
});

test('mail comes from the public host, unless a sender is set', () => {
  const TRIBUTARY_SMTP_URL = 'smtp://user:secret@mail.example:587';
  const TRIBUTARY_PUBLIC_URL = 'https://console.example:8443';
  expect(read({ TRIBUTARY_SMTP_URL, TRIBUTARY_PUBLIC_URL }).mail).toEqual({
    smtpUrl: TRIBUTARY_SMTP_URL,
    from: 'tributary@console.example',
  });
  const TRIBUTARY_MAIL_FROM = 'noreply@northwind.example';
  expect(read({ TRIBUTARY_SMTP_URL, TRIBUTARY_MAIL_FROM }).mail?.from).toBe(TRIBUTARY_MAIL_FROM);
});

test('the service may have a name and a logo of its own', () => {
  const { brand } = read({ TRIBUTARY_BRAND_NAME: ' Café & Co ', TRIBUTARY_BRAND_LOGO: 'logo.svg' });
  expect(brand).toEqual({ name: 'Café & Co', logo: '/srv/tributary/logo.svg' });
});

test('proxies are trusted by true, false or their addresses', () => {
  const trust = (value: string) => read({ TRIBUTARY_TRUST_PROXY: value }).trustProxy;
  expect([trust('true'), trust('false')]).toEqual([true, false]);
  expect(trust('10.0.0.1/32')).toBe('10.0.0.1/32');
});

test('unknown names that look like settings are reported, other names are not', () => {
  const { unknownSettings } = read({
    TRIBUTARY_PROT: '1',
    TRIBUTARY_DATADIR: 'x',
    TRIBUTARY_PORT: '8080',
    TRIBUTARY_TEST_REQUIRE: 'all',
    PATH: '/bin',
  });
  expect(unknownSettings).toEqual(['TRIBUTARY_PROT', 'TRIBUTARY_DATADIR']);
});

test('a configuration is frozen', () => {
  const config: { -readonly [K in keyof Config]: Config[K] } = read({});
  expect(() => {
    config.port = 1;
  }).toThrow(TypeError);
  expect(Object.isFrozen(config.unknownSettings)).toBe(true);
});

test('the token file and the database options derive from the configuration', () => {
  expect(adminTokenFile('/data')).toBe('/data/admin-token');
  const config = { ...read({}), databaseUrl: 'postgres://x' };
  expect(databaseOf(config)).toEqual({ url: 'postgres://x', schema: 'tributary' });
});
