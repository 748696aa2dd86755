import { Type } from 'typebox';
import type { Attribute } from '../records/attributes.ts';
import type { Records } from '../records/records.ts';
import type { App } from './app-types.ts';
import type { Auth } from './auth.ts';
import { found, Id, nameOf, PathId, parseId, Timestamp } from './wire.ts';

const tags = ['Marketplace attributes'];
const security = [{ apiKey: [] }];

const AttributeSchema = Type.Object({
  attribute_id: Id('Assigned by us; what key_type 0 refers to.'),
  name: Type.String({ examples: ['Autos > Intenders'] }),
  description: Type.String(),
  partner_foreign_key: Type.Union([Type.String(), Type.Null()], {
    description: 'Your own key; what key_type 1 refers to.',
  }),
  unique_devices: Type.Integer({ description: 'Distinct devices that carry it now.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const CreateAttribute = Type.Object(
  {
    name: nameOf('What the attribute is; `" > "` makes a hierarchy', 'Autos > Intenders'),
    description: Type.String({
      maxLength: 4096,
      pattern: '^[^\\p{Cs}\\u0000]*$',
      description: 'May be empty.',
      examples: ['In the market for a car'],
    }),
    partner_foreign_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^(?!\\s)[^\\p{Cc}\\p{Cs}|]+(?<!\\s)$',
        description:
          'Your own key for it, unique among your attributes. No `|`, no control characters, no blanks at its ends.',
        examples: ['autos-intenders'],
      }),
    ),
  },
  { additionalProperties: false },
);

export function registerMarketplaceAttributes(app: App, records: Records, auth: Auth): void {
  app.post(
    '/v1/marketplace/attribute',
    {
      onRequest: auth.partner,
      schema: {
        tags,
        security,
        operationId: 'createAttribute',
        summary: 'Create an attribute',
        description: 'Files can then give it to devices, by its id or by your own key.',
        body: CreateAttribute,
        response: {
          201: Type.Object(
            { attribute_id: Id('Of the new attribute.') },
            {
              description: 'Created.',
              headers: { Location: { type: 'string', description: 'The path of the attribute.' } },
            },
          ),
        },
      },
    },
    async (request, reply) => {
      const { name, description, partner_foreign_key } = request.body;
      const attributeId = await records.attributes.create(request.partnerId, {
        name,
        description,
        partnerForeignKey: partner_foreign_key ?? null,
      });
      reply.code(201).header('location', `/v1/marketplace/attribute/${attributeId}`);
      return { attribute_id: attributeId };
    },
  );

  app.get(
    '/v1/marketplace/attribute',
    {
      onRequest: auth.partner,
      schema: {
        tags,
        security,
        operationId: 'listAttributes',
        summary: 'List attributes',
        description: 'All of yours, by attribute_id.',
        response: { 200: Type.Array(AttributeSchema) },
      },
    },
    async (request) => {
      const attributes = await records.attributes.list(request.partnerId);
      return attributes.map(onTheWire);
    },
  );

  app.get(
    '/v1/marketplace/attribute/:attribute_id',
    {
      onRequest: auth.partner,
      schema: {
        tags,
        security,
        operationId: 'getAttribute',
        summary: 'Get an attribute',
        params: Type.Object({ attribute_id: PathId('Which attribute.') }),
        response: { 200: AttributeSchema },
      },
    },
    async (request) => {
      const attributeId = parseId(request.params.attribute_id, 'attribute');
      const attribute = await records.attributes.find(request.partnerId, attributeId);
      return onTheWire(found(attribute, 'attribute'));
    },
  );
}

function onTheWire(attribute: Attribute) {
  return {
    attribute_id: attribute.attributeId,
    name: attribute.name,
    description: attribute.description,
    partner_foreign_key: attribute.partnerForeignKey,
    unique_devices: attribute.uniqueDevices,
    created_at: attribute.createdAt.toISOString(),
    updated_at: attribute.updatedAt.toISOString(),
  };
}
