import { limits } from '../domain/limits.ts';
import {
  asArn,
  asBackupTarget,
  asBoolean,
  asBrandName,
  asBucketName,
  asBytes,
  asClickhouse,
  asConnections,
  asContents,
  asCount,
  asDatabaseUrl,
  asDays,
  asDisclosure,
  asFiles,
  asFraction,
  asHost,
  asHours,
  asHttpUrl,
  asLogFormat,
  asLogLevel,
  asLosses,
  asMailAddress,
  asMegabytes,
  asMemberships,
  asNoiseScale,
  asOtlpProtocol,
  asPairs,
  asPath,
  asPort,
  asPrivacyScope,
  asRate,
  asRecords,
  asRegion,
  asRegionEndpoints,
  asReserve,
  asRetention,
  asSampler,
  asSchemaName,
  asSecretKeys,
  asSmtpUrl,
  asText,
  asThreshold,
  asToken,
  asTrustProxy,
  asUploadDays,
  asUploads,
  asWebhookTargets,
  type Parser,
} from './parsers.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration cannot be used. The message names the setting, and only the message is printed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Which programs use a setting: the two roles, the `tributary` command and the test suite. */
export type SettingUser = 'api' | 'worker' | 'command' | 'tests';

/** The headings of docs/settings.md, in this order. */
export const settingSubjects = [
  'Data dir and secrets',
  'Backup',
  'Privacy',
  'API and console',
  'Logs and metrics',
  'Traces',
  'Database',
  'Object storage',
  'Warehouse',
  'Jobs and reports',
  'Command line',
  'Tests',
] as const;

interface About {
  readonly subject: (typeof settingSubjects)[number];
  readonly usedBy: readonly SettingUser[];
  /** Markdown. The first sentence is also shown by `tributary --help`. */
  readonly description: string;
  /** The default in words (Markdown), where the value itself does not say it. */
  readonly defaultText?: string;
}

export interface Setting<T, D> extends About {
  readonly parser: Parser<T>;
  readonly whenUnset: D;
}

function define<T, const D>(parser: Parser<T>, whenUnset: D, about: About): Setting<T, D> {
  return { parser, whenUnset, ...about };
}

/** Every setting. The configuration, the help of the `tributary` command and docs/settings.md come from here. */
export const settings = {
  TRIBUTARY_DATA_DIR: define(asPath, 'data', {
    subject: 'Data dir and secrets',
    usedBy: ['api', 'worker', 'command'],
    description:
      'Folder for all data that is not in your own PostgreSQL, S3 or ClickHouse. A relative path starts at the working directory. Processes on several machines need a shared file system, unless both the object storage and the warehouse are external.',
  }),
  TRIBUTARY_DISK_RESERVE: define(asReserve, null, {
    subject: 'Data dir and secrets',
    usedBy: ['api', 'worker'],
    defaultText: '`2GiB` or `5%`, whichever is smaller',
    description:
      "Space to keep free on the data dir's disk, because the embedded PostgreSQL must be able to write. With less free space, uploads and loads into the data dir are refused; everything else works. A size such as `500MB` or `2GiB`, a share of the disk such as `5%`, or `0`.",
  }),
  TRIBUTARY_TRASH_DAYS: define(asDays, 7, {
    subject: 'Data dir and secrets',
    usedBy: ['worker'],
    description:
      'How long files in the data dir that the database does not know are kept in a trash folder. There are such files after a crash, or if the database was restored from an older backup.',
  }),
  TRIBUTARY_ADMIN_TOKEN: define(asToken, null, {
    subject: 'Data dir and secrets',
    usedBy: ['api', 'worker', 'command'],
    defaultText: 'generated in `<data dir>/admin-token`',
    description:
      "The operator's token. Required for `tributary api` and `tributary worker`, with the same value in every process.",
  }),
  TRIBUTARY_SECRET_KEY: define(asSecretKeys, null, {
    subject: 'Data dir and secrets',
    usedBy: ['api', 'worker'],
    defaultText: 'generated in `<data dir>/secret-key`',
    description:
      'Key that encrypts stored secrets. To rotate it, put the new key and a comma before the old one. Remove the old key after `tributary secret-key reseal`. Required for `tributary api` and `tributary worker`, with the same value in every process.',
  }),

  TRIBUTARY_BACKUP_TARGET: define(asBackupTarget, null, {
    subject: 'Backup',
    usedBy: ['api', 'worker', 'command'],
    defaultText: 'none',
    description:
      'Folder or `s3://bucket/prefix` to which the service backs itself up. Also the default of `tributary backup`. Use another disk or machine than that of the data dir.',
  }),
  TRIBUTARY_BACKUP_HOURS: define(asHours, 24, {
    subject: 'Backup',
    usedBy: ['worker'],
    description: 'Hours from the beginning of a backup to that of the next one.',
  }),
  TRIBUTARY_BACKUP_DAYS: define(asDays, 14, {
    subject: 'Backup',
    usedBy: ['worker'],
    description:
      'How long the service keeps a backup. The newest one is always kept. Deleted data stays in backups for this long.',
  }),
  TRIBUTARY_BACKUP_S3_ENDPOINT: define(asHttpUrl, null, {
    subject: 'Backup',
    usedBy: ['worker', 'command'],
    defaultText: '`TRIBUTARY_S3_ENDPOINT`, or AWS',
    description: 'URL of the store that holds the bucket for backups.',
  }),
  TRIBUTARY_BACKUP_S3_REGION: define(asRegion, null, {
    subject: 'Backup',
    usedBy: ['worker', 'command'],
    defaultText: '`TRIBUTARY_S3_REGION`',
    description: 'Region of the bucket for backups.',
  }),
  TRIBUTARY_BACKUP_S3_ACCESS_KEY_ID: define(asText, null, {
    subject: 'Backup',
    usedBy: ['worker', 'command'],
    defaultText: '`TRIBUTARY_S3_ACCESS_KEY_ID`',
    description: 'Access key ID for the bucket for backups.',
  }),
  TRIBUTARY_BACKUP_S3_SECRET_ACCESS_KEY: define(asText, null, {
    subject: 'Backup',
    usedBy: ['worker', 'command'],
    defaultText: '`TRIBUTARY_S3_SECRET_ACCESS_KEY`',
    description: 'Secret access key for the bucket for backups.',
  }),

  TRIBUTARY_DROP_API_KEY: define(asText, null, {
    subject: 'Privacy',
    usedBy: ['worker'],
    defaultText: 'none: DROP is not called',
    description:
      "API key of your account at DROP, California's deletion platform. Issuing a new key in the portal ends the old one.",
  }),
  TRIBUTARY_DROP_URL: define(asHttpUrl, 'https://api.drop.privacy.ca.gov', {
    subject: 'Privacy',
    usedBy: ['worker'],
    description:
      "URL of DROP's API. The sandbox is at `https://api.drop.privacy.ca.gov/sandbox` and has a key of its own.",
  }),
  TRIBUTARY_DROP_DAYS: define(asDays, 7, {
    subject: 'Privacy',
    usedBy: ['worker'],
    description: 'Days from one download of the deletion lists to the next.',
  }),
  TRIBUTARY_DROP_DEADLINE_DAYS: define(asDays, 45, {
    subject: 'Privacy',
    usedBy: ['api'],
    description:
      'Days within which DROP must be accessed again, and a downloaded list must be answered. Used by `tributary_drop_slack_seconds` and its alert. Reports say that the law will allow 30 days from 2027 on.',
  }),
  TRIBUTARY_DROP_FILE_SIZE: define(asBytes, 10_000_000, {
    subject: 'Privacy',
    usedBy: ['worker'],
    defaultText: '`10MB`',
    description:
      'Largest file that is uploaded to DROP. Longer responses are split. DROP publishes no limit. A file is in memory while it is written or sent.',
  }),
  TRIBUTARY_PRIVACY_SCOPE: define(asPrivacyScope, 'everything', {
    subject: 'Privacy',
    usedBy: ['worker'],
    description:
      "Where devices of privacy requests and deletion lists are removed and kept out: `everything`, or only `marketplace` attributes. Whether customers' audiences fall under such requests is a legal question. With `everything` again, they are removed from audiences as well.",
  }),

  TRIBUTARY_HOST: define(asHost, '127.0.0.1', {
    subject: 'API and console',
    usedBy: ['api', 'worker'],
    description: 'Address on which the API, the embedded object store and the metrics listen.',
  }),
  TRIBUTARY_PORT: define(asPort, 8080, {
    subject: 'API and console',
    usedBy: ['api'],
    description: 'Port of the API and the console.',
  }),
  TRIBUTARY_TLS_CERT: define(asPath, null, {
    subject: 'API and console',
    usedBy: ['api', 'command'],
    defaultText: 'none: plain HTTP',
    description:
      "PEM file with the certificate and its chain, for the API and the embedded object store. It is read again when it changes, within 5 seconds. Set it together with `TRIBUTARY_TLS_KEY`, and set `TRIBUTARY_PUBLIC_URL` to the certificate's host name.",
  }),
  TRIBUTARY_TLS_KEY: define(asPath, null, {
    subject: 'API and console',
    usedBy: ['api', 'command'],
    defaultText: 'none',
    description:
      'PEM file with the private key of `TRIBUTARY_TLS_CERT`, without a passphrase. The user of the service must be able to read it.',
  }),
  TRIBUTARY_PUBLIC_URL: define(asHttpUrl, null, {
    subject: 'API and console',
    usedBy: ['api', 'command'],
    defaultText: 'host and port',
    description:
      'URL at which clients reach the API, for example behind a proxy. Browsers may upload from the console only if they opened it at this URL.',
  }),
  TRIBUTARY_WEBHOOK_TARGETS: define(asWebhookTargets, 'public', {
    subject: 'API and console',
    usedBy: ['api', 'worker'],
    description:
      "Where partners' webhooks may go: `public`, only to `https://` addresses of the public internet, or `any`, also to `http://` and to private networks. With `any`, a partner can make the worker send requests to any host that it can reach.",
  }),
  TRIBUTARY_SMTP_URL: define(asSmtpUrl, null, {
    subject: 'API and console',
    usedBy: ['api'],
    defaultText: 'none: links are shown to the operator',
    description:
      "Mail server for invitations and password resets of customers' users, such as `smtp://user:password@mail.example.com:587`, or `smtps://` for TLS from the start. The server must offer STARTTLS, unless it is on localhost or the URL ends in `?requireTLS=false`.",
  }),
  TRIBUTARY_MAIL_FROM: define(asMailAddress, null, {
    subject: 'API and console',
    usedBy: ['api'],
    defaultText: '`tributary@` and the host of `TRIBUTARY_PUBLIC_URL`',
    description: 'Sender of these e-mails.',
  }),
  TRIBUTARY_BRAND_NAME: define(asBrandName, 'Tributary', {
    subject: 'API and console',
    usedBy: ['api'],
    description: 'Name of the service in the console and in e-mails.',
  }),
  TRIBUTARY_BRAND_LOGO: define(asPath, null, {
    subject: 'API and console',
    usedBy: ['api'],
    defaultText: 'the Tributary logo',
    description:
      'Logo in the console: a `.svg`, `.png`, `.jpg` or `.webp` file of at most 256 KiB. It is shown 22 pixels high, beside the name.',
  }),
  TRIBUTARY_TRUST_PROXY: define(asTrustProxy, false, {
    subject: 'API and console',
    usedBy: ['api'],
    description:
      'Proxies whose `X-Forwarded-For` header is trusted: `true` for all, or their addresses and networks. Without it, all clients behind one proxy share one limit on failed sign-ins and wrong credentials.',
  }),
  TRIBUTARY_RATE_LIMIT: define(asRate, limits.requestsPerMinute.most, {
    subject: 'API and console',
    usedBy: ['api'],
    description:
      'Requests per minute that each API key may make. The same limit applies to each client network at `/oauth`.',
  }),

  TRIBUTARY_MAX_ATTRIBUTES: define(asRecords, limits.attributesPerPartner.most, {
    subject: 'API and console',
    usedBy: ['api'],
    description:
      'How many attributes a partner may have. Every report of every partner compares an audience with all attributes that have devices.',
  }),
  TRIBUTARY_MAX_AUDIENCES: define(asRecords, limits.audiencesPerPartner.most, {
    subject: 'API and console',
    usedBy: ['api'],
    description: 'How many audiences a partner may have.',
  }),

  TRIBUTARY_LOG_LEVEL: define(asLogLevel, 'info', {
    subject: 'Logs and metrics',
    usedBy: ['api', 'worker'],
    description: 'Lowest severity of log lines to write.',
  }),
  TRIBUTARY_LOG_FORMAT: define(asLogFormat, null, {
    subject: 'Logs and metrics',
    usedBy: ['api', 'worker'],
    defaultText: '`pretty` if standard error is a terminal, otherwise `json`',
    description: 'Format of log lines: one JSON object per line, or text for people.',
  }),
  TRIBUTARY_METRICS_PORT: define(asPort, null, {
    subject: 'Logs and metrics',
    usedBy: ['api'],
    defaultText: 'off',
    description:
      'Port on which an API process serves Prometheus metrics at `/metrics`, without authentication: those of the process and those of the whole service.',
  }),
  TRIBUTARY_WORKER_METRICS_PORT: define(asPort, null, {
    subject: 'Logs and metrics',
    usedBy: ['worker'],
    defaultText: 'off',
    description:
      'Port on which a worker serves Prometheus metrics of its own jobs at `/metrics`, without authentication. Several workers on one machine need different ports.',
  }),

  OTEL_EXPORTER_OTLP_ENDPOINT: define(asHttpUrl, null, {
    subject: 'Traces',
    usedBy: ['api', 'worker'],
    defaultText: 'off',
    description:
      'URL of an OpenTelemetry receiver, such as `http://127.0.0.1:4318`. Traces are sent to `/v1/traces` there, as OTLP over HTTP.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: define(asHttpUrl, null, {
    subject: 'Traces',
    usedBy: ['api', 'worker'],
    defaultText: 'the endpoint and `/v1/traces`',
    description: 'The full URL for traces, if it is not `/v1/traces` at the endpoint.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: define(
    asPairs,
    {},
    {
      subject: 'Traces',
      usedBy: ['api', 'worker'],
      defaultText: 'none',
      description:
        'Headers of requests to the receiver, for example its key: `authorization=Bearer%20…`.',
    },
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: define(asOtlpProtocol, 'http/json', {
    subject: 'Traces',
    usedBy: ['api', 'worker'],
    description:
      'Traces are always sent as JSON, which receivers of either protocol accept. gRPC is not supported.',
  }),
  OTEL_SERVICE_NAME: define(asText, 'tributary', {
    subject: 'Traces',
    usedBy: ['api', 'worker'],
    description: 'Name of the service in traces.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: define(
    asPairs,
    {},
    {
      subject: 'Traces',
      usedBy: ['api', 'worker'],
      defaultText: 'none',
      description:
        'More attributes of the process, for example `deployment.environment.name=prod`.',
    },
  ),
  OTEL_TRACES_SAMPLER: define(asSampler, 'parentbased_always_on', {
    subject: 'Traces',
    usedBy: ['api', 'worker'],
    description:
      'Which traces to record. With `parentbased_`, a trace that a client began is recorded if the client records it.',
  }),
  OTEL_TRACES_SAMPLER_ARG: define(asFraction, 1, {
    subject: 'Traces',
    usedBy: ['api', 'worker'],
    description: 'The share of traces that `traceidratio` records.',
  }),
  OTEL_SDK_DISABLED: define(asBoolean, false, {
    subject: 'Traces',
    usedBy: ['api', 'worker'],
    description: 'Turns traces off, whatever the other settings say.',
  }),

  DATABASE_URL: define(asDatabaseUrl, null, {
    subject: 'Database',
    usedBy: ['api', 'worker'],
    defaultText: 'the embedded PostgreSQL',
    description:
      'Your own PostgreSQL, version 14 or later. Required for `tributary api` and `tributary worker`.',
  }),
  TRIBUTARY_DATABASE_SCHEMA: define(asSchemaName, 'tributary', {
    subject: 'Database',
    usedBy: ['api', 'worker'],
    description: 'Schema that holds the tables. It is created if it does not exist.',
  }),

  TRIBUTARY_BUCKET: define(asBucketName, 'tributary', {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    description: 'Name of the shared bucket.',
  }),
  TRIBUTARY_S3_PORT: define(asPort, 9000, {
    subject: 'Object storage',
    usedBy: ['api'],
    description: 'Port on which the embedded object store serves S3 clients.',
  }),
  TRIBUTARY_S3_PUBLIC_URL: define(asHttpUrl, null, {
    subject: 'Object storage',
    usedBy: ['api'],
    defaultText: 'host and S3 port, or the endpoint',
    description: 'URL at which S3 clients and browsers reach the object storage.',
  }),
  TRIBUTARY_S3_REGION: define(asRegion, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: 'the embedded object store',
    description:
      'Region of a shared bucket in another object store. It requires both access key settings.',
  }),
  TRIBUTARY_S3_ACCESS_KEY_ID: define(asText, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: 'the embedded object store',
    description: 'Access key ID for the shared bucket.',
  }),
  TRIBUTARY_S3_SECRET_ACCESS_KEY: define(asText, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: 'the embedded object store',
    description: 'Secret access key for the shared bucket.',
  }),
  TRIBUTARY_S3_ENDPOINT: define(asHttpUrl, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: "AWS's endpoint of the region",
    description: 'URL of the object store that holds the shared bucket, if it is not AWS.',
  }),
  TRIBUTARY_S3_PATH_STYLE: define(asBoolean, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: '`true` with an endpoint, otherwise `false`',
    description: 'Whether requests name the bucket in the path instead of in the host name.',
  }),
  TRIBUTARY_S3_TRAILERS: define(asBoolean, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: '`false` with an endpoint, otherwise `true`',
    description:
      'Whether uploads carry checksums in trailers. Some object stores reject requests with trailers.',
  }),
  TRIBUTARY_S3_RATE_LIMIT: define(asRate, limits.storageRequestsPerSecond.most, {
    subject: 'Object storage',
    usedBy: ['api'],
    description:
      'Requests per second that each partner may make to the embedded object store. Beyond it they are answered with `SlowDown`.',
  }),
  TRIBUTARY_S3_CONCURRENCY: define(asConnections, limits.storageRequestsInProgress.most, {
    subject: 'Object storage',
    usedBy: ['api'],
    description:
      'Requests that each partner may make to the embedded object store at the same time. An upload takes up to 8 MB of memory.',
  }),
  TRIBUTARY_S3_OPEN_UPLOADS: define(asUploads, limits.openUploads.most, {
    subject: 'Object storage',
    usedBy: ['api'],
    description: 'Multipart uploads to the embedded object store that each partner may have open.',
  }),
  TRIBUTARY_UPLOAD_RETENTION_DAYS: define(asUploadDays, limits.uploadRetentionDays.most, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: 'off',
    description:
      'Uploaded files are deleted this many days after they were last loaded, or after their upload if they never were. A file that a pending or running job may read stays. `tributary partner update <partner> --upload-retention 30d` sets another number for one partner.',
  }),
  TRIBUTARY_PARTNER_S3_ENDPOINTS: define(
    asRegionEndpoints,
    {},
    {
      subject: 'Object storage',
      usedBy: ['api', 'worker'],
      defaultText: 'none',
      description:
        'Endpoints by region, for partners\' own buckets that are not on AWS. Example: `{"minio-1": "https://minio.example.com"}`.',
    },
  ),
  TRIBUTARY_STS_PRINCIPAL: define(asArn, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: 'none: partners must send keys',
    description:
      "ARN of the service's own AWS user or role, with which it assumes roles of partners to read their own buckets. Partners name it in their trust policies. It requires both access key settings.",
  }),
  TRIBUTARY_STS_ACCESS_KEY_ID: define(asText, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: 'none: partners must send keys',
    description:
      'Access key ID of that user or role. It only needs permission for `sts:AssumeRole`.',
  }),
  TRIBUTARY_STS_SECRET_ACCESS_KEY: define(asText, null, {
    subject: 'Object storage',
    usedBy: ['api', 'worker'],
    defaultText: 'none: partners must send keys',
    description: 'Secret access key of that user or role.',
  }),
  TRIBUTARY_STS_REGION: define(asRegion, 'us-east-1', {
    subject: 'Object storage',
    usedBy: ['worker'],
    description:
      'Region of the STS endpoint that issues the keys of a role. They work in all regions.',
  }),
  TRIBUTARY_STS_ENDPOINT: define(asHttpUrl, null, {
    subject: 'Object storage',
    usedBy: ['worker'],
    defaultText: "AWS's endpoint of the region",
    description: 'URL of STS, if it is not AWS.',
  }),

  TRIBUTARY_WAREHOUSE: define(asClickhouse, null, {
    subject: 'Warehouse',
    usedBy: ['api', 'worker'],
    defaultText: 'the embedded engine',
    description:
      'A ClickHouse server that stores the device sets. With `?cluster=name` they are spread over all shards of that cluster, each at the same port. Add `secure=true` for HTTPS. To move existing device sets there, run `tributary warehouse copy`.',
  }),
  TRIBUTARY_PROFILE_MIN: define(asMemberships, null, {
    subject: 'Warehouse',
    usedBy: ['worker'],
    defaultText: '`50000`',
    description:
      'The attributes of each device are also listed by device, in a profile, if an import adds this many memberships or more. Reports over fewer memberships are quicker without one.',
  }),
  TRIBUTARY_DELETION_HOURS: define(asHours, 24, {
    subject: 'Warehouse',
    usedBy: ['api', 'worker'],
    description: 'Time limit for removing the bytes of deleted data from disk.',
  }),

  TRIBUTARY_REJECT_LIMIT: define(asFraction, limits.rejectedShare.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description: "Share of a file's rows that may be rejected before the file fails.",
  }),
  TRIBUTARY_REJECTS_PER_JOB: define(asBytes, limits.rejectBytesPerJob.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    defaultText: '`100MiB`',
    description:
      'Rejected rows of a job that are kept for download. The problem `rejects_left_out` counts the others.',
  }),
  TRIBUTARY_REJECTS_PER_PARTNER: define(asBytes, limits.rejectBytesPerPartner.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    defaultText: '`1GiB`',
    description:
      "Rejected rows of a partner that are kept for download. Beyond it, those of the partner's oldest jobs are deleted.",
  }),
  TRIBUTARY_MAX_FILES_PER_JOB: define(asFiles, limits.filesPerJob.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      'A job fails with `too_many_files` if there are more files at or under its path. The list of files takes about 200 bytes of memory per file.',
  }),
  TRIBUTARY_SUPPRESSION_THRESHOLD: define(asThreshold, 50, {
    subject: 'Jobs and reports',
    usedBy: ['api', 'worker'],
    description: 'Composition reports withhold figures based on fewer devices than this.',
  }),
  TRIBUTARY_DISCLOSURE: define(asDisclosure, 'protected', {
    subject: 'Jobs and reports',
    usedBy: ['api', 'worker'],
    description:
      'Whether counts in reports that depend on the data of other partners have noise (`protected`) or not (`exact`). `tributary partner update <partner> --disclosure exact` sets another mode for one partner. [Security](security.md#what-a-report-may-reveal) explains it.',
  }),
  TRIBUTARY_DISCLOSURE_SCALE: define(asNoiseScale, 10, {
    subject: 'Jobs and reports',
    usedBy: ['api', 'worker'],
    description:
      'The scale of the noise in protected counts, in devices. The error is less than 0.7 times the scale for half of all counts, and more than 3 times the scale for one in twenty.',
  }),
  TRIBUTARY_DISCLOSURE_CONTENTS: define(asContents, limits.reportedContents.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      'How many different contents of its audiences a partner gets reports on in a day (UTC), if its reports are protected. Beyond that, reports are not refreshed until the next day.',
  }),
  TRIBUTARY_JOB_DAYS: define(asRetention, limits.jobDays.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      'How long a job that has ended is kept, with its log and the list of its files. The last 100 logs of a partner and the last load of an audience are always kept.',
  }),
  TRIBUTARY_PROGRESS_DAYS: define(asRetention, limits.progressDays.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      'How long the bytes and rows in the progress of a job that has ended are kept. Afterwards they are 0.',
  }),
  TRIBUTARY_AUDIT_DAYS: define(asRetention, limits.auditDays.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description: 'How long the audit log keeps an entry.',
  }),
  TRIBUTARY_AUDIT_READ_DAYS: define(asRetention, limits.auditReadDays.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      "How long the audit log keeps operators' read-only calls. An open overview page of the console makes 8,640 of them a day. Never longer than TRIBUTARY_AUDIT_DAYS.",
  }),
  TRIBUTARY_AUDIT_OBJECT_DAYS: define(asRetention, limits.auditObjectDays.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      'How long the audit log keeps an upload or deletion in the embedded object store, which can be millions a day. Never longer than TRIBUTARY_AUDIT_DAYS.',
  }),
  TRIBUTARY_MAX_WORKER_LOSSES: define(asLosses, limits.workerLosses.most, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      'A job fails when it has lost its worker this many times. After two losses it runs in a process of its own.',
  }),
  TRIBUTARY_WORKER_CONCURRENCY: define(asCount, 4, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      'How many large jobs a worker process runs at the same time, each of another partner. Small jobs run beside them. A large job takes two database connections. Its loads take at least 2.3 MB of memory per core, even beyond `TRIBUTARY_LOAD_MEMORY_MB`.',
  }),
  TRIBUTARY_LOAD_MEMORY_MB: define(asMegabytes, 192, {
    subject: 'Jobs and reports',
    usedBy: ['worker'],
    description:
      'Memory budget shared by all loads of a worker process. Beyond it they spill to disk. A quarter as much more holds files that are read before their turn.',
  }),

  TRIBUTARY_URL: define(asHttpUrl, null, {
    subject: 'Command line',
    usedBy: ['command'],
    defaultText: 'the public URL',
    description: 'URL of the service that the `tributary` command calls.',
  }),
  TRIBUTARY_API_KEY: define(asText, null, {
    subject: 'Command line',
    usedBy: ['command'],
    defaultText: 'none',
    description: "A partner's API key, for the commands import, logs, attribute and audience.",
  }),
  TRIBUTARY_USER_TOKEN: define(asText, null, {
    subject: 'Command line',
    usedBy: ['command'],
    defaultText: 'none',
    description: 'A user token: `tributary audience` acts for its customer.',
  }),

  TRIBUTARY_TEST_REQUIRE: define(asText, null, {
    subject: 'Tests',
    usedBy: ['tests'],
    defaultText: 'none',
    description: 'With `all`, tests that the machine cannot run fail instead of being skipped.',
  }),
  TRIBUTARY_SOAK: define(asText, null, {
    subject: 'Tests',
    usedBy: ['tests'],
    defaultText: 'off',
    description: 'With `1`, random tests run all their rounds.',
  }),
} as const;

export type SettingName = keyof typeof settings;

export type SettingValue<Name extends SettingName> =
  (typeof settings)[Name] extends Setting<infer T, infer D> ? T | D : never;

/** Reads one setting. Unset or empty means the default. */
export function readSetting<Name extends SettingName>(
  env: Environment,
  name: Name,
): SettingValue<Name> {
  const { parser, whenUnset }: Setting<unknown, unknown> = settings[name];
  const text = env[name];
  const value = text === undefined || text === '' ? whenUnset : parser.parse(text);
  if (value !== undefined) return value as SettingValue<Name>;
  // Any URL may have a password before its @.
  const shown = parser.secret || text?.includes('@') ? '' : `, not ${JSON.stringify(text)}`;
  throw new ConfigError(`${name} must be ${parser.wanted}${shown}`);
}

/** The settings that a program uses, in the order of the list. */
export function settingsOf(user: SettingUser): (Setting<unknown, unknown> & { name: string })[] {
  const all: [string, Setting<unknown, unknown>][] = Object.entries(settings);
  return all
    .filter(([, { usedBy }]) => usedBy.includes(user))
    .map(([name, setting]) => ({ name, ...setting }));
}

/** Misspelt settings would silently have no effect, so names that only look like settings are reported. */
export function unknownSettings(env: Environment): string[] {
  return Object.keys(env).filter((name) => name.startsWith('TRIBUTARY_') && !(name in settings));
}
