import { Type } from 'typebox';
import { queueDeletion } from '../../actions/queue-deletion.ts';
import { queueImport } from '../../actions/queue-import.ts';
import { type KeyType, keyType } from '../../domain/job.ts';
import type { Records } from '../../records/records.ts';
import {
  ImportLogPath,
  ImportLogSchema,
  importLogOnTheWire,
  QueuedSchema,
  queuedAnswer,
} from '../job-reports/import-log-wire.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { invalidRequest } from '../server/problems.ts';
import { found, parseId } from '../server/wire.ts';
import { ForeignKey } from './attribute-wire.ts';
import { parseImportRequest, QueueImport } from './import-request.ts';

const listedLogs = 100;
const tags = ['Marketplace import'];
const security = [{ apiKey: [] }];

const DeleteData = Type.Object(
  {
    key_type: Type.Enum([keyType.attributeId, keyType.partnerForeignKey], {
      description: 'What the keys are: 0 = attribute_id, 1 = partner_foreign_key.',
      examples: [1],
    }),
    keys: Type.Array(ForeignKey('Of one of your attributes; an attribute_id is written as text'), {
      minItems: 1,
      maxItems: 10_000,
      uniqueItems: true,
      description: 'Whose data is deleted.',
    }),
  },
  { additionalProperties: false },
);

export function registerImports(
  app: App,
  records: Records,
  auth: Auth,
  write: Write,
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
        headers: WriteHeaders,
        body: QueueImport,
        response: { 202: QueuedSchema },
      },
    },
    async (request, reply) => {
      const asked = parseImportRequest(request.partnerId, request.body, partnerRegions);
      return write(request, reply, async (tx) =>
        queuedAnswer(await queueImport(tx, request.partnerId, asked.request, asked.credentials)),
      );
    },
  );

  app.delete(
    '/v1/marketplace/import',
    {
      onRequest: auth.partner,
      schema: {
        tags,
        security,
        operationId: 'deleteAttributeData',
        summary: 'Delete attribute data',
        description:
          'Takes every device out of the attributes named, in its turn among your jobs. It cannot be undone. The attributes themselves stay, empty. Should one be gone when the turn comes, it is passed over.',
        headers: WriteHeaders,
        body: DeleteData,
        response: { 202: QueuedSchema },
      },
    },
    async (request, reply) => {
      const { key_type, keys } = request.body;
      return write(request, reply, async (tx) => {
        await refuseUnknownKeys(tx, request.partnerId, key_type, keys);
        const deletion = { keyType: key_type, keys, withDefinitions: false };
        return queuedAnswer(await queueDeletion(tx, request.partnerId, deletion));
      });
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
      return logs.map(importLogOnTheWire);
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
        params: ImportLogPath,
        response: { 200: ImportLogSchema },
      },
    },
    async (request) => {
      const importLogId = parseId(request.params.import_log_id, 'import log');
      const log = await records.importLogs.find(request.partnerId, importLogId);
      return importLogOnTheWire(found(log, 'import log'));
    },
  );
}

async function refuseUnknownKeys(
  { attributes }: Records,
  partnerId: number,
  type: KeyType,
  keys: readonly string[],
): Promise<void> {
  const unknown = new Set(await attributes.unknownKeys(partnerId, type, keys));
  if (unknown.size === 0) return;
  const name = type === keyType.attributeId ? 'attribute_id' : 'partner_foreign_key';
  const issues = [...keys.entries()]
    .filter(([, key]) => unknown.has(key))
    .map(([index]) => ({
      pointer: `/keys/${index}`,
      message: `is not the ${name} of any of your attributes`,
    }));
  throw invalidRequest(issues);
}
