import { Type } from 'typebox';
import { invalidInput, TributaryError } from '../domain/errors.ts';
import { keyType, pathType, statusOf } from '../domain/job.ts';
import { isAwsRegion, partnerBucketPath, sharedBucketKey } from '../domain/source-path.ts';
import type { BucketCredentials, ImportLog } from '../records/import-logs.ts';
import { partnerPrefix } from '../records/partners.ts';
import type { Records } from '../records/records.ts';
import type { App } from './app-types.ts';
import type { Auth } from './auth.ts';
import { found, Id, PathId, parseId, Timestamp } from './wire.ts';

const listedLogs = 100;
const tags = ['Marketplace import'];
const security = [{ apiKey: [] }];

const Count = (description: string) =>
  Type.String({ pattern: '^[0-9]+$', description, examples: ['1200'] });
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const ImportErrorSchema = Type.Object({
  code: Type.String({ examples: ['malformed_id'] }),
  message: Type.String(),
  file: Nullable(Type.String({ description: 'The key of the file, with your prefix.' })),
  line: Nullable(Type.Integer({ description: 'Of the first occurrence, from 1.' })),
  column: Nullable(Type.Integer({ description: 'Which cell, from 1.' })),
  value: Nullable(Type.String({ description: 'The cell at fault, cut at 256 characters.' })),
  count: Type.Integer({ description: 'How often it occurred in the file.' }),
});

const ImportLogSchema = Type.Object({
  import_log_id: Id('The import job.'),
  file_path: Type.String({ description: 'As it was submitted.', examples: ['devices.csv'] }),
  path_type: Type.Integer({
    description: '0 = shared bucket, 1 = a bucket of your own.',
    examples: [0],
  }),
  key_type: Type.Integer({ description: '0 = attribute_id, 1 = partner_foreign_key.' }),
  status: Type.Integer({
    description:
      '0 = pending, waits behind earlier jobs; 1 = importing; 2 = done; 3 = error, nothing was applied.',
    examples: [2],
  }),
  log_type: Type.Integer({ description: '0 = import.', examples: [0] }),
  keys: Nullable(Type.Array(Type.String())),
  unique_devices: Count('Distinct devices of the accepted rows. "0" until the import ends.'),
  total_rows: Count('Data rows read, rejected ones included. "0" until the import ends.'),
  errors: Nullable(
    Type.Array(ImportErrorSchema, {
      maxItems: 100,
      description:
        'Null, or one entry per kind of problem and file. Rows dropped from an import that is done are reported here too.',
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const Secret = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[\\x21-\\x7e]+$' });

const QueueImport = Type.Object(
  {
    file_path: Type.String({
      minLength: 1,
      description:
        'With path_type 0 relative to your prefix in the shared bucket, with path_type 1 `s3://<bucket>/<path>`. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.',
      examples: ['devices.csv'],
    }),
    key_type: Type.Enum([keyType.attributeId, keyType.partnerForeignKey], {
      description: 'What the keys in the file are: 0 = attribute_id, 1 = partner_foreign_key.',
      examples: [1],
    }),
    path_type: Type.Optional(
      Type.Enum([pathType.sharedBucket, pathType.partnerBucket], {
        default: pathType.sharedBucket,
        description: 'Where the file lies: 0 = the shared bucket, 1 = a bucket of your own.',
      }),
    ),
    credentials: Type.Optional(
      Type.Object(
        {
          accessKeyId: Secret(128),
          secretAccessKey: Secret(256),
          region: Type.String({
            maxLength: 63,
            description: 'The region of your bucket, such as `us-east-1`.',
          }),
        },
        {
          additionalProperties: false,
          description:
            'Needed with path_type 1, and only then: what reads your bucket. Kept encrypted, and only until the import ends.',
        },
      ),
    ),
  },
  { additionalProperties: false },
);

export function registerMarketplaceImports(
  app: App,
  records: Records,
  auth: Auth,
  partnerRegions: readonly string[],
): void {
  app.post(
    '/v1/marketplace/import',
    {
      onRequest: auth.partner,
      schema: {
        tags,
        security,
        operationId: 'queueImport',
        summary: 'Queue an import',
        description:
          'Loads a file, or every file below a path, into your attributes: all of it together, or nothing. Your jobs run one at a time in the order submitted. A file has two columns, `id,attribute_ids`: an advertising identifier, and the keys of its attributes separated by `|`; or five, `id,id_type,country,operation,attribute_ids`, where `id_type` is 1 (IDFA) or 3 (AAID), `country` has two letters, and `operation` is 0 to add and 1 to remove. All removals of an import apply before its additions; one that names no key removes the device from all your attributes. Files are UTF-8 text with comma or tab, plain or compressed with gzip or zstd.',
        body: QueueImport,
        response: {
          202: Type.Object(
            { import_log_id: Id('Follow it with Get import log.') },
            {
              description: 'Queued.',
              headers: {
                Location: { type: 'string', description: 'The path of the import log.' },
              },
            },
          ),
        },
      },
    },
    async (request, reply) => {
      const { file_path: filePath, key_type, path_type, credentials } = request.body;
      const asked = {
        filePath,
        keyType: key_type,
        pathType: path_type ?? pathType.sharedBucket,
      };
      if (asked.pathType === pathType.partnerBucket) checkPartnerBucket(filePath, credentials);
      else checkSharedBucket(request.partnerId, filePath, credentials);
      const importLogId = await records.importLogs.queue(
        request.partnerId,
        asked,
        credentials ?? null,
      );
      reply.code(202).header('location', `/v1/marketplace/import/${importLogId}`);
      return { import_log_id: importLogId };
    },
  );

  app.get(
    '/v1/marketplace/import',
    {
      onRequest: auth.partner,
      schema: {
        tags,
        security,
        operationId: 'listImportLogs',
        summary: 'List import logs',
        description: `Your last ${listedLogs} jobs, newest first.`,
        response: { 200: Type.Array(ImportLogSchema) },
      },
    },
    async (request) => {
      const logs = await records.importLogs.latest(request.partnerId, listedLogs);
      return logs.map(onTheWire);
    },
  );

  app.get(
    '/v1/marketplace/import/:import_log_id',
    {
      onRequest: auth.partner,
      schema: {
        tags,
        security,
        operationId: 'getImportLog',
        summary: 'Get import log',
        params: Type.Object({ import_log_id: PathId('As the queued import answered.') }),
        response: { 200: ImportLogSchema },
      },
    },
    async (request) => {
      const importLogId = parseId(request.params.import_log_id, 'import log');
      const log = await records.importLogs.find(request.partnerId, importLogId);
      return onTheWire(found(log, 'import log'));
    },
  );

  function checkPartnerBucket(filePath: string, credentials: BucketCredentials | undefined): void {
    if (!credentials) {
      throw invalidInput('/credentials', 'credentials are needed to read a bucket of your own.');
    }
    // The region becomes part of a host name: none that is not known may pass.
    if (!isAwsRegion(credentials.region) && !partnerRegions.includes(credentials.region)) {
      throw invalidInput(
        '/credentials/region',
        `There is no region ${JSON.stringify(credentials.region)}: send one such as us-east-1.`,
      );
    }
    const place = partnerBucketPath(filePath);
    if (place instanceof TributaryError) throw place;
  }
}

function checkSharedBucket(
  partnerId: number,
  filePath: string,
  credentials: BucketCredentials | undefined,
): void {
  if (credentials) {
    throw invalidInput('/credentials', 'credentials go with path_type 1 only: leave them out.');
  }
  const key = sharedBucketKey(partnerPrefix(partnerId), filePath);
  if (key instanceof TributaryError) throw key;
}

function onTheWire(log: ImportLog) {
  return {
    import_log_id: log.importLogId,
    file_path: log.filePath,
    path_type: log.pathType,
    key_type: log.keyType,
    status: statusOf[log.state],
    log_type: log.logType,
    keys: log.keys,
    unique_devices: String(log.uniqueDevices),
    total_rows: String(log.totalRows),
    errors: log.errors,
    created_at: log.createdAt.toISOString(),
    updated_at: log.updatedAt.toISOString(),
  };
}
