import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
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

/** The specification promises all audiences to a request without `limit`. */
const byDefault = null;

const ListQuery = Type.Object(pageQuery({ records: 'audiences', id: 'audience_id', byDefault }), {
  additionalProperties: false,
});

export function registerAudienceReads(
  app: App,
  address: AudienceAddress,
  records: Records,
  auth: Auth,
  sendList: SendList,
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
          200: Type.Array(AudienceSchema, { headers: pageHeaders }),
        },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const scope = readerScopeOf(request);
      return sendList(request, reply, {
        read: (page) => records.audiences.list(scope, page),
        row: audienceOnTheWire,
        key: ({ audienceId }) => audienceId,
        byDefault,
      });
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
