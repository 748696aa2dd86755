import { Type } from 'typebox';
import { queueDeletion } from '../../actions/queue-deletion.ts';
import { keyType } from '../../domain/job.ts';
import { limits } from '../../domain/limits.ts';
import type { Attribute } from '../../records/marketplace/attributes.ts';
import type { Records } from '../../records/records.ts';
import { QueuedSchema, queuedAnswer } from '../job-reports/import-log-wire.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, noControlCharacters, parseId } from '../server/wire.ts';
import {
  AttributePath,
  AttributeSchema,
  attributeOnTheWire,
  attributePath,
  attributesPath,
  attributesTag,
  ChangeAttribute,
} from './attribute-wire.ts';

const byDefault = limits.pageRecords.most;
const ListQuery = Type.Object(
  {
    ...pageQuery({ records: 'attributes', id: 'attribute_id', byDefault }),
    search: Type.Optional(
      Type.String({
        maxLength: limits.nameCharacters.most,
        pattern: noControlCharacters,
        description:
          'Only attributes whose name or partner_foreign_key contains this text, ignoring case.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function registerAttributes(
  app: App,
  records: Records,
  auth: Auth,
  write: Write,
  sendList: SendList,
): void {
  app.get(
    attributesPath,
    {
      ...partnerRoute(auth, attributesTag, {
        operationId: 'listAttributes',
        summary: 'List attributes',
        description:
          'Returns your attributes, ordered by attribute_id. Use `limit` and `after` to page through them. Unknown parameters are rejected.',
        querystring: ListQuery,
        response: { 200: Type.Array(AttributeSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) =>
      sendList(request, reply, {
        read: (page) => records.attributes.list(request.partnerId, page, request.query.search),
        row: attributeOnTheWire,
        key: ({ attributeId }) => attributeId,
        byDefault,
      }),
  );

  app.get(
    attributePath,
    partnerRoute(auth, attributesTag, {
      operationId: 'getAttribute',
      summary: 'Get an attribute',
      params: AttributePath,
      response: { 200: AttributeSchema },
    }),
    async (request) => {
      const attributeId = parseId(request.params.attribute_id, 'attribute');
      const attribute = await records.attributes.find(request.partnerId, attributeId);
      return attributeOnTheWire(found(attribute, 'attribute'));
    },
  );

  app.patch(
    attributePath,
    partnerRoute(auth, attributesTag, {
      operationId: 'changeAttribute',
      summary: 'Change an attribute',
      description:
        'Send at least one field. Fields that you leave out keep their values. Jobs resolve keys when they run, so a new key also applies to pending jobs.',
      params: AttributePath,
      headers: WriteHeaders,
      body: ChangeAttribute,
      response: { 200: AttributeSchema },
    }),
    async (request, reply) => {
      const { partnerId, body } = request;
      const attributeId = parseId(request.params.attribute_id, 'attribute');
      const { partner_foreign_key, ...named } = body;
      const change =
        partner_foreign_key === undefined
          ? named
          : { ...named, partnerForeignKey: partner_foreign_key };
      return write(request, reply, async ({ attributes }) => {
        const before = await attributes.find(partnerId, attributeId);
        await attributes.update(partnerId, attributeId, change);
        const attribute = found(await attributes.find(partnerId, attributeId), 'attribute');
        return {
          status: 200,
          location: null,
          body: attributeOnTheWire(attribute),
          change: { before: auditedAttribute(before!), after: auditedAttribute(attribute) },
        };
      });
    },
  );

  app.delete(
    attributePath,
    partnerRoute(auth, attributesTag, {
      operationId: 'deleteAttribute',
      summary: 'Delete an attribute',
      description:
        'Queues a job that deletes the attribute and its data. The attribute remains until the job runs. A deletion cannot be undone.',
      params: AttributePath,
      headers: WriteHeaders,
      response: { 202: QueuedSchema },
    }),
    async (request, reply) => {
      const { partnerId } = request;
      const attributeId = parseId(request.params.attribute_id, 'attribute');
      return write(request, reply, async (tx) => {
        const before = found(await tx.attributes.find(partnerId, attributeId), 'attribute');
        const deletion = {
          keyType: keyType.attributeId,
          keys: [String(attributeId)],
          withDefinitions: true,
        };
        return {
          ...queuedAnswer(await queueDeletion(tx, partnerId, deletion)),
          change: { before: auditedAttribute(before) },
        };
      });
    },
  );
}

function auditedAttribute({ attributeId, name, description, partnerForeignKey }: Attribute) {
  return {
    attribute_id: attributeId,
    name,
    description,
    partner_foreign_key: partnerForeignKey,
  };
}
