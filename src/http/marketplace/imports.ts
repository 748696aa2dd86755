import { Type } from 'typebox';
import { queueDeletion } from '../../actions/queue-deletion.ts';
import { queueImport } from '../../actions/queue-import.ts';
import { type KeyType, keyType } from '../../domain/job.ts';
import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import { QueuedSchema, queuedAnswer } from '../job-reports/import-log-wire.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { invalidRequest } from '../server/problems.ts';
import { ForeignKey } from './attribute-wire.ts';
import type { PartnerBuckets } from './bucket-credentials.ts';
import { parseImportRequest, QueueImport } from './import-request.ts';

const importPath = '/v1/marketplace/import';
const tag = 'Marketplace import';

const DeleteData = Type.Object(
  {
    key_type: Type.Enum([keyType.attributeId, keyType.partnerForeignKey], {
      description: 'Type of the keys: 0 = attribute_id, 1 = partner_foreign_key.',
      examples: [1],
    }),
    keys: Type.Array(
      ForeignKey('Key of one of your attributes. Send an attribute_id as a string'),
      {
        minItems: 1,
        maxItems: limits.deletionKeys.most,
        uniqueItems: true,
        description: 'The attributes whose data is deleted.',
      },
    ),
  },
  { additionalProperties: false },
);

export function registerImports(
  app: App,
  auth: Auth,
  write: Write,
  partnerBuckets: PartnerBuckets,
): void {
  app.post(
    importPath,
    partnerRoute(auth, tag, {
      operationId: 'queueImport',
      summary: 'Queue an import',
      description:
        'Loads one file, or every file under a path, into your attributes. The import is applied as a whole or not at all. Your jobs run one at a time, in the order submitted. A file has two or five columns. Two columns: `id,attribute_ids`, an advertising identifier and the keys of its attributes, separated by `|`. Five columns: `id,id_type,country,operation,attribute_ids`, where `id_type` is 1 (IDFA) or 3 (AAID), `country` is a two-letter code, and `operation` is 0 to add or 1 to remove. Removals are applied before additions. A removal without keys removes the device from all your attributes. Files are UTF-8 text, separated by commas or tabs, uncompressed or compressed with gzip or zstd.',
      headers: WriteHeaders,
      body: QueueImport,
      response: { 202: QueuedSchema },
    }),
    async (request, reply) => {
      const parsed = parseImportRequest(request.partnerId, request.body, partnerBuckets);
      return write(request, reply, async (tx) => {
        const { partnerId } = request;
        await tx.usage.refuseLoads(partnerId);
        const answer = queuedAnswer(
          await queueImport(tx, partnerId, parsed.request, parsed.credentials),
        );
        const { credentials: _, ...asked } = request.body;
        return { ...answer, change: { after: { ...answer.body, ...asked } } };
      });
    },
  );

  app.delete(
    importPath,
    partnerRoute(auth, tag, {
      operationId: 'deleteAttributeData',
      summary: 'Delete attribute data',
      description:
        'Queues a job that removes every device from the given attributes. The attributes themselves remain, empty. An attribute that no longer exists when the job runs is skipped. A deletion cannot be undone.',
      headers: WriteHeaders,
      body: DeleteData,
      response: { 202: QueuedSchema },
    }),
    async (request, reply) => {
      const { key_type, keys } = request.body;
      return write(request, reply, async (tx) => {
        await refuseUnknownKeys(tx, request.partnerId, key_type, keys);
        const deletion = { keyType: key_type, keys, withDefinitions: false };
        const answer = queuedAnswer(await queueDeletion(tx, request.partnerId, deletion));
        const change = { key_type, keys: keys.length, first_keys: keys.slice(0, auditedKeys) };
        return { ...answer, change: { after: { ...answer.body, ...change } } };
      });
    },
  );
}

/** A deletion may have ten thousand keys. */
const auditedKeys = 20;

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
