import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { parseQueryNumbers } from '../server/query-numbers.ts';
import { found, parseId } from '../server/wire.ts';
import { type AudienceAddress, audienceRoute } from './audience-address.ts';
import { readerScopeOf } from './audience-scope.ts';
import {
  AudienceDetailsSchema,
  AudiencePath,
  AudienceSchema,
  audienceDetailsOnTheWire,
  audienceOnTheWire,
} from './audience-wire.ts';

const ListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Maximum number of audiences. Without it, all are returned.',
      }),
    ),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Return only audiences with a larger audience_id.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function registerAudienceReads(
  app: App,
  address: AudienceAddress,
  records: Records,
  auth: Auth,
): void {
  app.get(
    address.path,
    {
      ...audienceRoute(auth, address, {
        operationId: 'listAudiences',
        summary: 'List audiences',
        description:
          'Returns audiences ordered by audience_id: with a user token those of its customer, without one all of yours. Use `limit` and `after` to page through them. Unknown parameters are rejected.',
        querystring: ListQuery,
        response: {
          200: Type.Array(AudienceSchema, {
            headers: {
              Link: {
                type: 'string',
                description:
                  'The path of the next page, with `rel="next"`. Absent on the last page.',
              },
            },
          }),
        },
      }),
      preValidation: parseQueryNumbers('limit', 'after'),
    },
    async (request, reply) => {
      const { after = 0, limit = null } = request.query;
      // One extra record shows whether there is a next page.
      const page = { after, limit: limit === null ? null : limit + 1 };
      const listed = await records.audiences.list(readerScopeOf(request), page);
      const shown = limit === null ? listed : listed.slice(0, limit);
      if (shown.length < listed.length) {
        const next = `${address.path}?limit=${limit}&after=${shown.at(-1)!.audienceId}`;
        reply.header('link', `<${next}>; rel="next"`);
      }
      return shown.map(audienceOnTheWire);
    },
  );

  app.get(
    `${address.path}/:audience_id`,
    audienceRoute(auth, address, {
      operationId: 'getAudience',
      summary: 'Get audience details',
      description:
        'Returns the audience with its files. All counts and statuses are from the same moment.',
      params: AudiencePath,
      response: { 200: AudienceDetailsSchema },
    }),
    async (request) => {
      const audienceId = parseId(request.params.audience_id, 'audience');
      const audience = await records.audiences.details(readerScopeOf(request), audienceId);
      return audienceDetailsOnTheWire(found(audience, 'audience'));
    },
  );
}
