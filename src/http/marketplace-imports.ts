import { Type } from 'typebox';
import { TributaryError } from '../domain/errors.ts';
import { keyType, pathType, statusOf } from '../domain/job.ts';
import { sharedBucketKey } from '../domain/source-path.ts';
import type { ImportLog } from '../records/import-logs.ts';
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
  path_type: Type.Integer({ description: '0 = shared bucket.', examples: [0] }),
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

const QueueImport = Type.Object(
  {
    file_path: Type.String({
      minLength: 1,
      description:
        'Relative to your prefix in the shared bucket. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.',
      examples: ['devices.csv'],
    }),
    key_type: Type.Enum([keyType.attributeId, keyType.partnerForeignKey], {
      description: 'What the keys in the file are: 0 = attribute_id, 1 = partner_foreign_key.',
      examples: [1],
    }),
    path_type: Type.Optional(
      Type.Enum([pathType.sharedBucket], {
        default: pathType.sharedBucket,
        description: 'Where the file lies: 0 = the shared bucket.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function registerMarketplaceImports(app: App, records: Records, auth: Auth): void {
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
          'Loads a file, or every file below a path, into your attributes: all of it together, or nothing. Your jobs run one at a time in the order submitted. A file has two columns, `id,attribute_ids`: an advertising identifier, and the keys of its attributes separated by `|`.',
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
      const { file_path: filePath, key_type, path_type } = request.body;
      const key = sharedBucketKey(partnerPrefix(request.partnerId), filePath);
      if (key instanceof TributaryError) throw key;
      const importLogId = await records.importLogs.queue(request.partnerId, {
        filePath,
        keyType: key_type,
        pathType: path_type ?? pathType.sharedBucket,
      });
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
