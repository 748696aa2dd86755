import { type Static, Type } from 'typebox';
import { keyType } from '../../domain/job.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { acceptUtf8 } from '../server/body-parsers.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { inputIssues, invalidRequest } from '../server/problems.ts';
import { Id } from '../server/wire.ts';
import { CreateAttribute } from './attribute-wire.ts';
import { keyTakenOnLine, readTaxonomy, type TaxonomyEntry } from './taxonomy.ts';

const path = '/v1/marketplace/attribute';

const Taxonomy = Type.String({
  description:
    'UTF-8 text with the header `name,description,partnerkey` and at most 10,000 attributes. Put a cell that contains a comma, a quote or a line break in double quotes. `description` and `partnerkey` may be empty.',
  examples: [
    'name,description,partnerkey\nAutos,,autos\nAutos > Intenders,In the market for a car,autos-intenders\n',
  ],
});

/** In its own scope, because no other route accepts CSV. */
export async function registerAttributeCreation(
  app: App,
  auth: Auth,
  write: Write,
  maxAttributes: number,
): Promise<void> {
  await app.register(async (scope: App) => {
    acceptUtf8(scope, 'text/csv', (_request, text, done) => done(null, text));

    scope.post(
      path,
      partnerRoute(auth, 'Marketplace attributes', {
        operationId: 'createAttribute',
        summary: 'Create attributes',
        description:
          'Creates one attribute from JSON, or a whole taxonomy from CSV. A taxonomy is created as a whole or not at all. Your files then assign the attributes to devices, by attribute_id or by your own keys.',
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
              Type.Object({ attribute_id: Id('The id of the new attribute.') }),
              Type.Object({
                attribute_ids: Type.Array(Id('The id of a new attribute.'), {
                  description: 'The ids of a taxonomy, in the order of its lines.',
                }),
              }),
            ],
            {
              description: 'Created.',
              headers: {
                Location: {
                  type: 'string',
                  description:
                    'The path of the attribute, or of the list of attributes for a taxonomy.',
                },
              },
            },
          ),
        },
      }),
      async (request, reply) => {
        const { partnerId } = request;
        // Validated by its content type: a string is CSV, an object is JSON.
        const body = request.body as string | Static<typeof CreateAttribute> | undefined;
        if (body === undefined) throw invalidRequest([{ pointer: '', message: 'is missing' }]);
        if (typeof body === 'string') {
          const validate = request.compileValidationSchema(CreateAttribute, 'body');
          const entries = await readTaxonomy(body, (attribute) =>
            validate(attribute) ? [] : inputIssues(validate.errors ?? []),
          );
          return write(request, reply, (tx) =>
            createTaxonomy(tx, partnerId, entries, maxAttributes),
          );
        }
        return write(request, reply, (tx) => createOne(tx, partnerId, body, maxAttributes));
      },
    );
  });
}

async function createOne(
  { attributes }: Records,
  partnerId: number,
  { name, description = '', partner_foreign_key }: Static<typeof CreateAttribute>,
  maxAttributes: number,
) {
  const attribute = { name, description, partnerForeignKey: partner_foreign_key ?? null };
  const attributeId = await attributes.create(partnerId, attribute, maxAttributes);
  return {
    status: 201,
    location: `${path}/${attributeId}`,
    body: { attribute_id: attributeId },
    change: {
      after: {
        attribute_id: attributeId,
        name,
        description,
        partner_foreign_key: attribute.partnerForeignKey,
      },
    },
  };
}

async function createTaxonomy(
  { attributes }: Records,
  partnerId: number,
  entries: readonly TaxonomyEntry[],
  maxAttributes: number,
) {
  const keys = entries.flatMap(({ partnerForeignKey: key }) => (key === null ? [] : [key]));
  const known = await attributes.findByKeys(partnerId, keyType.partnerForeignKey, keys);
  const takenKeys = new Set(known.map(({ key }) => key));
  const taken = entries.find(({ partnerForeignKey: key }) => key !== null && takenKeys.has(key));
  if (taken) throw keyTakenOnLine(taken);
  const attributeIds = await attributes.createAll(partnerId, entries, maxAttributes);
  return {
    status: 201,
    location: path,
    body: { attribute_ids: attributeIds },
    change: { after: { attributes: attributeIds.length, first_attribute_id: attributeIds[0] } },
  };
}
