/** The headings of docs/limits.md, in this order. */
export const limitSubjects = [
  'Requests',
  'Lists and reports',
  'Records',
  'Fields',
  'Files and jobs',
  'Object storage',
] as const;

export interface Limit {
  readonly subject: (typeof limitSubjects)[number];
  /** Markdown. */
  readonly what: string;
  /** Null: off unless the setting is set. */
  readonly most: number | null;
  readonly unit: 'count' | 'bytes' | 'characters' | 'seconds' | 'hours' | 'days' | 'share';
  /** The setting that changes it. */
  readonly setting?: string;
  /** What happens beyond it (Markdown). */
  readonly beyond: string;
}

const kibibyte = 1024;
const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

/** How many times its compressed size a file larger than `expandedBytes` may have. */
export const expansionFactor = 100;

/**
 * Every published limit. The code takes its numbers from here, and docs/limits.md is written from it.
 * A limit with a setting holds the setting's default.
 */
export const limits = {
  requestsPerMinute: {
    subject: 'Requests',
    what: 'Requests per minute of an API key, a signed-in user, or a client network at `/oauth`',
    most: 6_000,
    unit: 'count',
    setting: 'TRIBUTARY_RATE_LIMIT',
    beyond: '429 `rate_limited` with `Retry-After`',
  },
  bodyBytes: {
    subject: 'Requests',
    what: 'Body of a request to the API',
    most: mebibyte,
    unit: 'bytes',
    beyond: '413 `body_too_large`',
  },
  headerBytes: {
    subject: 'Requests',
    what: 'Headers of a request, including its URL',
    most: 16 * kibibyte,
    unit: 'bytes',
    beyond: '431 `headers_too_large`',
  },
  headerSeconds: {
    subject: 'Requests',
    what: 'Time for the headers to arrive',
    most: 15,
    unit: 'seconds',
    beyond: '408 `request_timeout`',
  },
  bodySeconds: {
    subject: 'Requests',
    what: 'Time for the body of a request to the API to arrive',
    most: 60,
    unit: 'seconds',
    beyond: 'the connection is closed',
  },
  connectionsPerTenant: {
    subject: 'Requests',
    what: "Database connections that the requests of a partner, or of a customer's users, take at once in each API process; one while others are active",
    most: 4,
    unit: 'count',
    beyond: 'requests wait, for at most a second',
  },
  openStreams: {
    subject: 'Requests',
    what: "Open event streams of a partner, or of a customer's users",
    most: 50,
    unit: 'count',
    beyond: '429 `rate_limited` with `Retry-After`',
  },
  adminTokenOverlapDays: {
    subject: 'Requests',
    what: 'How long an admin token may stay valid after it was replaced',
    most: 30,
    unit: 'days',
    beyond: '400 `invalid_input`',
  },
  idempotencyHours: {
    subject: 'Requests',
    what: 'How long a response is kept for its `Idempotency-Key`',
    most: 24,
    unit: 'hours',
    beyond: 'the request is executed again',
  },
  issuesShown: {
    subject: 'Requests',
    what: 'Issues listed in an `invalid_input` problem',
    most: 50,
    unit: 'count',
    beyond: 'the rest is counted, not listed',
  },
  wrongCredentials: {
    subject: 'Requests',
    what: 'Wrong keys, tokens, client secrets and S3 signatures per minute from a network, in each API process',
    most: 60,
    unit: 'count',
    beyond:
      '429 `rate_limited` with `Retry-After`, at the S3 endpoint `SlowDown`; a credential that was right before is still accepted',
  },
  networkSignInFailures: {
    subject: 'Requests',
    what: 'Failed sign-ins in 15 minutes from a network',
    most: 30,
    unit: 'count',
    beyond: '429 `rate_limited` with `Retry-After`',
  },
  accountSignInFailures: {
    subject: 'Requests',
    what: 'Failed sign-ins in 15 minutes to an account from a network',
    most: 5,
    unit: 'count',
    beyond: '429 `rate_limited` with `Retry-After`',
  },
  userSignInFailures: {
    subject: 'Requests',
    what: 'Failed sign-ins in 15 minutes to a user from all networks together',
    most: 100,
    unit: 'count',
    beyond: '429 `rate_limited` with `Retry-After`',
  },

  pageRecords: {
    subject: 'Lists and reports',
    what: 'Records in a page of a list: the largest `limit`',
    most: 1_000,
    unit: 'count',
    beyond: '400 `invalid_input`',
  },
  largeResponses: {
    subject: 'Lists and reports',
    what: "Responses of more than one page that are sent at the same time to a partner, or to a customer's users",
    most: 4,
    unit: 'count',
    beyond: '429 `rate_limited` with `Retry-After`',
  },
  listedImportLogs: {
    subject: 'Lists and reports',
    what: 'Import logs in a list without `limit`',
    most: 100,
    unit: 'count',
    beyond: 'older ones are on the next page',
  },
  historyRows: {
    subject: 'Lists and reports',
    what: 'Changes in the history of an audience or attribute: a year, if it changes daily',
    most: 365,
    unit: 'count',
    beyond: 'the oldest ones are deleted',
  },

  attributesPerPartner: {
    subject: 'Records',
    what: 'Attributes of a partner',
    most: 10_000,
    unit: 'count',
    setting: 'TRIBUTARY_MAX_ATTRIBUTES',
    beyond: '409 `limit_reached`',
  },
  audiencesPerPartner: {
    subject: 'Records',
    what: 'Audiences of a partner',
    most: 100_000,
    unit: 'count',
    setting: 'TRIBUTARY_MAX_AUDIENCES',
    beyond: '409 `limit_reached`',
  },
  apiKeysPerPartner: {
    subject: 'Records',
    what: 'API keys of a partner that are not revoked',
    most: 1_000,
    unit: 'count',
    beyond: '409 `limit_reached`',
  },
  storageCredentialsPerPartner: {
    subject: 'Records',
    what: 'Storage credentials of a partner that are not revoked',
    most: 1_000,
    unit: 'count',
    beyond: '409 `limit_reached`',
  },
  userTokensPerPartner: {
    subject: 'Records',
    what: 'User tokens of a partner that are not revoked or expired',
    most: 10_000,
    unit: 'count',
    beyond: '409 `limit_reached`',
  },
  oauthAppsPerPartner: {
    subject: 'Records',
    what: 'OAuth apps of a partner',
    most: 100,
    unit: 'count',
    beyond: '409 `limit_reached`',
  },
  usersPerCustomer: {
    subject: 'Records',
    what: 'Users of a customer',
    most: 10_000,
    unit: 'count',
    beyond: '409 `limit_reached`',
  },
  customers: {
    subject: 'Records',
    what: 'Customers',
    most: 100_000,
    unit: 'count',
    beyond: '409 `limit_reached`',
  },
  partners: {
    subject: 'Records',
    what: 'Partners',
    most: 10_000,
    unit: 'count',
    beyond: '409 `limit_reached`',
  },
  sessionsPerOwner: {
    subject: 'Records',
    what: 'Console sessions of a user, of an API key, or of the operator',
    most: 50,
    unit: 'count',
    beyond: 'the oldest sessions end',
  },

  nameCharacters: {
    subject: 'Fields',
    what: 'Name or label of a record',
    most: 255,
    unit: 'characters',
    beyond: '400 `invalid_input`',
  },
  descriptionCharacters: {
    subject: 'Fields',
    what: '`description` of an attribute',
    most: 4_096,
    unit: 'characters',
    beyond: '400 `invalid_input`',
  },
  foreignKeyCharacters: {
    subject: 'Fields',
    what: '`partner_foreign_key`',
    most: 255,
    unit: 'characters',
    beyond: '400 `invalid_input`',
  },
  idempotencyKeyCharacters: {
    subject: 'Fields',
    what: '`Idempotency-Key`',
    most: 255,
    unit: 'characters',
    beyond: '400 `invalid_input`',
  },
  deletionKeys: {
    subject: 'Fields',
    what: '`keys` of a deletion',
    most: 10_000,
    unit: 'count',
    beyond: '400 `invalid_input`',
  },
  taxonomyEntries: {
    subject: 'Fields',
    what: 'Attributes in one CSV taxonomy',
    most: 10_000,
    unit: 'count',
    beyond: '400 `invalid_input`',
  },
  privacyIdentifiers: {
    subject: 'Fields',
    what: '`identifiers` of a privacy request',
    most: 10_000,
    unit: 'count',
    beyond: '400 `invalid_input`; `tributary privacy` sends several requests',
  },
  redirectAddresses: {
    subject: 'Fields',
    what: 'Redirect addresses of an OAuth app',
    most: 10,
    unit: 'count',
    beyond: '400 `invalid_input`',
  },

  filesPerJob: {
    subject: 'Files and jobs',
    what: 'Files at or under the path of a job',
    most: 1_000_000,
    unit: 'count',
    setting: 'TRIBUTARY_MAX_FILES_PER_JOB',
    beyond: 'the job fails with `too_many_files`',
  },
  expandedBytes: {
    subject: 'Files and jobs',
    what: `Decompressed size of a compressed file, or ${expansionFactor} times its compressed size if that is more`,
    most: gibibyte,
    unit: 'bytes',
    beyond: 'the file fails with `bad_compression`',
  },
  lineBytes: {
    subject: 'Files and jobs',
    what: 'Line of a file',
    most: 64 * kibibyte,
    unit: 'bytes',
    beyond: 'the file fails with `line_too_long`',
  },
  rejectedShare: {
    subject: 'Files and jobs',
    what: "Share of a file's rows that may be rejected",
    most: 0.05,
    unit: 'share',
    setting: 'TRIBUTARY_REJECT_LIMIT',
    beyond: 'the file fails with `too_many_rejects`',
  },
  labelsPerAudience: {
    subject: 'Files and jobs',
    what: 'Event labels of an audience',
    most: 1_000,
    unit: 'count',
    beyond: 'the row loads without its label: `too_many_labels`',
  },
  labelBytes: {
    subject: 'Files and jobs',
    what: 'Event label',
    most: 256,
    unit: 'bytes',
    beyond: 'the row loads without its label: `label_too_long`',
  },
  problemsPerLog: {
    subject: 'Files and jobs',
    what: "Problems in a log's `errors`",
    most: 100,
    unit: 'count',
    beyond: 'the rest is left out; a problem that made the job fail is always listed',
  },
  problemValueCharacters: {
    subject: 'Files and jobs',
    what: '`value` of a problem',
    most: 256,
    unit: 'characters',
    beyond: 'it is truncated',
  },
  rejectsPerFile: {
    subject: 'Files and jobs',
    what: 'Rejected rows of a file that are kept for download',
    most: 10_000,
    unit: 'count',
    beyond: 'the rest is counted, not kept: `rejects_left_out`',
  },
  rejectBytes: {
    subject: 'Files and jobs',
    what: 'Rejected row that is kept for download',
    most: kibibyte,
    unit: 'bytes',
    beyond: 'it is truncated',
  },
  rejectBytesPerJob: {
    subject: 'Files and jobs',
    what: 'Rejected rows of a job that are kept for download; each counts as 100 bytes and its line',
    most: 100 * mebibyte,
    unit: 'bytes',
    setting: 'TRIBUTARY_REJECTS_PER_JOB',
    beyond: 'the rest is counted, not kept: `rejects_left_out`',
  },
  rejectBytesPerPartner: {
    subject: 'Files and jobs',
    what: 'Rejected rows of a partner that are kept for download',
    most: gibibyte,
    unit: 'bytes',
    setting: 'TRIBUTARY_REJECTS_PER_PARTNER',
    beyond: "the rows of the partner's oldest jobs are deleted",
  },
  rejectDays: {
    subject: 'Files and jobs',
    what: 'How long rejected rows are kept',
    most: 30,
    unit: 'days',
    beyond: 'they are deleted',
  },
  jobDays: {
    subject: 'Files and jobs',
    what: "How long an ended job is kept, with its log and the list of its files. A partner's last 100 logs and an audience's last load always stay",
    most: 400,
    unit: 'days',
    setting: 'TRIBUTARY_JOB_DAYS',
    beyond: 'it is deleted; its log answers 404 `not_found`',
  },
  progressDays: {
    subject: 'Files and jobs',
    what: 'How long the bytes and rows in the progress of an ended job are kept',
    most: 7,
    unit: 'days',
    setting: 'TRIBUTARY_PROGRESS_DAYS',
    beyond: 'they are 0',
  },
  accessDays: {
    subject: 'Records',
    what: 'How long the findings of an access request are kept',
    most: 30,
    unit: 'days',
    beyond: 'they are deleted; the request and its counts stay',
  },
  auditDays: {
    subject: 'Records',
    what: 'How long the audit log keeps an entry',
    most: 400,
    unit: 'days',
    setting: 'TRIBUTARY_AUDIT_DAYS',
    beyond: 'it is deleted',
  },
  auditObjectDays: {
    subject: 'Records',
    what: 'How long the audit log keeps an upload or deletion in the embedded object store',
    most: 90,
    unit: 'days',
    setting: 'TRIBUTARY_AUDIT_OBJECT_DAYS',
    beyond: 'it is deleted',
  },
  workerLosses: {
    subject: 'Files and jobs',
    what: 'How often a job may lose its worker',
    most: 5,
    unit: 'count',
    setting: 'TRIBUTARY_MAX_WORKER_LOSSES',
    beyond: 'the job fails with `worker_lost`',
  },

  storageBytes: {
    subject: 'Object storage',
    what: 'Bytes of a partner in the embedded object store, with open and unfinished uploads: `tributary partner update <partner> --storage-quota 200GB`',
    most: null,
    unit: 'bytes',
    beyond: '403 `QuotaExceeded`',
  },
  storageRequestsPerSecond: {
    subject: 'Object storage',
    what: 'Requests per second of a partner, with all its credentials',
    most: 500,
    unit: 'count',
    setting: 'TRIBUTARY_S3_RATE_LIMIT',
    beyond: '503 `SlowDown`: clients try again',
  },
  storageRequestsInProgress: {
    subject: 'Object storage',
    what: 'Requests of a partner at the same time, with all its credentials',
    most: 100,
    unit: 'count',
    setting: 'TRIBUTARY_S3_CONCURRENCY',
    beyond: '503 `SlowDown`: clients try again',
  },
  openUploads: {
    subject: 'Object storage',
    what: 'Open multipart uploads of a partner',
    most: 1_000,
    unit: 'count',
    setting: 'TRIBUTARY_S3_OPEN_UPLOADS',
    beyond: '403 `QuotaExceeded`',
  },
  bodyBytesPerMinute: {
    subject: 'Object storage',
    what: 'Bytes that an upload must bring at least in a minute',
    most: 64 * kibibyte,
    unit: 'bytes',
    beyond: '400 `RequestTimeout`',
  },
  uploadBytes: {
    subject: 'Object storage',
    what: 'Object or part in one upload request',
    most: 5 * gibibyte,
    unit: 'bytes',
    beyond: '`EntityTooLarge`',
  },
  uploadParts: {
    subject: 'Object storage',
    what: 'Parts of a multipart upload',
    most: 10_000,
    unit: 'count',
    beyond: '`InvalidArgument`',
  },
  uploadDays: {
    subject: 'Object storage',
    what: 'How long a multipart upload may stay open',
    most: 7,
    unit: 'days',
    beyond: 'it is aborted',
  },
  uploadRetention: {
    subject: 'Object storage',
    what: 'The most days after which uploaded files can be deleted',
    most: 730,
    unit: 'days',
    beyond: 'the setting is refused, or 400 `invalid_input`',
  },
  uploadRetentionDays: {
    subject: 'Object storage',
    what: 'How long an uploaded file is kept after it was last loaded; a partner may have its own number: `tributary partner update <partner> --upload-retention 30d`',
    most: null,
    unit: 'days',
    setting: 'TRIBUTARY_UPLOAD_RETENTION_DAYS',
    beyond: 'it is deleted',
  },
  objectKeyBytes: {
    subject: 'Object storage',
    what: 'Object key, including the prefix of the partner',
    most: 1_024,
    unit: 'bytes',
    beyond: '`KeyTooLongError`',
  },
  deletedKeys: {
    subject: 'Object storage',
    what: 'Keys in one `DeleteObjects` request',
    most: 1_000,
    unit: 'count',
    beyond: '`MalformedXML`',
  },
  listedKeys: {
    subject: 'Object storage',
    what: 'Keys in a page of a listing',
    most: 1_000,
    unit: 'count',
    beyond: 'the rest is on the next page',
  },
} as const satisfies Record<string, Limit>;

/** Node looks for late headers only this often; its own default of 30 seconds would double the limit. */
export const headerCheckMs = (limits.headerSeconds.most * 1000) / 5;
