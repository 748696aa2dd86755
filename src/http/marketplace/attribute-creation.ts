import { isUtf8 } from 'node:buffer';
import { type Static, Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import { keyType } from '../../domain/job.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { inputIssues, invalidRequest } from '../server/problems.ts';
import { Id } from '../server/wire.ts';
import { CreateAttribute } from './attribute-wire.ts';
import { keyTakenOnLine, readTaxonomy, type TaxonomyEntry } from './taxonomy.ts';

const path = '/v1/marketplace/attribute';

const Taxonomy = Type.String({
  description:
    'UTF-8 text, at most 10,000 attributes, with the header `name,description,partnerkey`. A cell with a comma, a quote or a line break stands in double quotes; an empty `partnerkey` is none.',
  examples: [
    'name,description,partnerkey\nAutos,,autos\nAutos > Intenders,In the market for a car,autos-intenders\n',
  ],
});

/** One attribute as JSON, or a whole taxonomy as CSV, which no other route takes. */
export async function registerAttributeCreation(app: App, auth: Auth, write: Write): Promise<void> {
  await app.register(async (scope: App) => {
    scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, body, done) => {
      const bytes = body as Buffer;
      if (isUtf8(bytes)) done(null, bytes.toString());
      else done(new TributaryError('malformed_body', 'The body is not well-formed UTF-8.'));
    });

    scope.post(
      path,
      {
        onRequest: auth.partner,
        schema: {
          tags: ['Marketplace attributes'],
          security: [{ apiKey: [] }],
          operationId: 'createAttribute',
          summary: 'Create attributes',
          description:
            'One, or a whole taxonomy as CSV, which is created together or not at all. Files can then give them to devices, by their ids or by your own keys.',
          headers: WriteHeaders,
          body: {
            content: {
              'application/json': { schema: CreateAttribute },
              'text/csv': { schema: Taxonomy },
            },
          },
          response: {
            201: Type.Union(
              [
                Type.Object({ attribute_id: Id('Of the new attribute.') }),
                Type.Object({
                  attribute_ids: Type.Array(Id('Of a new attribute.'), {
                    description: 'Of a taxonomy, in the order of its lines.',
                  }),
                }),
              ],
              {
                description: 'Created.',
                headers: {
                  Location: {
                    type: 'string',
                    description: 'The path of the attribute; of a taxonomy that of the list.',
                  },
                },
              },
            ),
          },
        },
      },
      async (request, reply) => {
        const { partnerId } = request;
        // Validated as what its content type says: text is CSV, an object JSON, and nothing neither.
        const body = request.body as string | Static<typeof CreateAttribute> | undefined;
        if (body === undefined) throw invalidRequest([{ pointer: '', message: 'is missing' }]);
        if (typeof body === 'string') {
          const validate = request.compileValidationSchema(CreateAttribute, 'body');
          const entries = readTaxonomy(body, (attribute) =>
            validate(attribute) ? [] : inputIssues(validate.errors ?? []),
          );
          return write(request, reply, (tx) => createTaxonomy(tx, partnerId, entries));
        }
        return write(request, reply, (tx) => createOne(tx, partnerId, body));
      },
    );
  });
}

async function createOne(
  { attributes }: Records,
  partnerId: number,
  { name, description, partner_foreign_key }: Static<typeof CreateAttribute>,
) {
  const attribute = { name, description, partnerForeignKey: partner_foreign_key ?? null };
  const attributeId = await attributes.create(partnerId, attribute);
  return {
    status: 201,
    location: `${path}/${attributeId}`,
    body: { attribute_id: attributeId },
  };
}

async function createTaxonomy(
  { attributes }: Records,
  partnerId: number,
  entries: readonly TaxonomyEntry[],
) {
  const keys = entries.flatMap(({ partnerForeignKey: key }) => (key === null ? [] : [key]));
  const free = new Set(await attributes.unknownKeys(partnerId, keyType.partnerForeignKey, keys));
  const taken = entries.find(({ partnerForeignKey: key }) => key !== null && !free.has(key));
  if (taken) throw keyTakenOnLine(taken);
  const attributeIds = await attributes.createAll(partnerId, entries);
  return { status: 201, location: path, body: { attribute_ids: attributeIds } };
}
