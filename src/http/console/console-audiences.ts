import { Type } from 'typebox';
import type { Disclosures } from '../../domain/disclosure/disclosure.ts';
import type { NamedAudience } from '../../records/audiences/recent-audiences.ts';
import type { Records } from '../../records/records.ts';
import { audienceOnTheWire } from '../../wire/audience.ts';
import { readerScopeOf } from '../audiences/audience-scope.ts';
import { AudienceSchema } from '../audiences/audience-wire.ts';
import { parseQueryNumbers } from '../lists/query-numbers.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { liveResponse, type SendLive } from '../server/live-answers.ts';
import {
  found,
  Id,
  Nullable,
  noControlCharacters,
  PathId,
  parseId,
  Timestamp,
} from '../server/wire.ts';

const everyMs = 2_000;
const defaultLimit = 100;

const access = {
  tags: ['Console'],
  security: [{ apiKey: [] }, { apiKey: [], userToken: [] }],
};

const ConsoleAudienceSchema = Type.Object({
  ...AudienceSchema.properties,
  partner_name: Type.String({ description: 'The partner that loads it.', examples: ['Acme'] }),
  customer_name: Nullable(Type.String(), {
    description: 'The customer it belongs to. Null if it belongs to the partner alone.',
    examples: ['Corner shop'],
  }),
  cleared_at: Nullable(Timestamp, {
    description:
      'When the audience was cleared. Null if it never was, or if files were appended since.',
    examples: [null],
  }),
  latest_load_id: Nullable(Id('The job.'), {
    description:
      'The job of its latest load since it was cleared. Null if there is none, or its log is no longer kept.',
    examples: [17],
  }),
  cursor: Type.String({
    description: 'Its place in the list of audiences, for `after`.',
    examples: ['1767225600000000-1'],
  }),
});

const ListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: `Maximum number of audiences. Defaults to ${defaultLimit}.`,
      }),
    ),
    after: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,16}-[0-9]{1,16}$',
        description:
          'Return only audiences that follow the one with this `cursor`. An audience that changes moves to the start of the list.',
        examples: ['1767225600000000-1'],
      }),
    ),
    search: Type.Optional(
      Type.String({
        maxLength: 255,
        pattern: noControlCharacters,
        description: 'Only audiences whose name contains this text, ignoring case.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Audiences as the console lists them: a partner's, or those of the signed-in user's customer. */
export function registerConsoleAudiences(
  app: App,
  records: Records,
  auth: Auth,
  sendLive: SendLive,
  disclosures: Disclosures,
): void {
  const onTheWire = (audience: NamedAudience) => ({
    ...audienceOnTheWire(audience, disclosures),
    partner_name: audience.partnerName,
    customer_name: audience.customerName,
    cleared_at: audience.clearedAt?.toISOString() ?? null,
    latest_load_id: audience.latestLoadId,
    cursor: audience.cursor,
  });

  app.get(
    '/v1/console/audiences',
    {
      onRequest: auth.audience,
      preValidation: parseQueryNumbers('limit'),
      schema: {
        ...access,
        operationId: 'listConsoleAudiences',
        summary: 'List audiences, newest activity first',
        description:
          'The audiences of the partner, or, with a user token or for a signed-in customer’s user, those of the customer. With `Accept: text/event-stream` the response is a stream. It sends an event `audiences` with the data `{"audiences": […]}` at once, and again within about two seconds of a change. Comment lines keep the stream alive. It ends when the caller loses access.',
        querystring: ListQuery,
        response: {
          200: liveResponse(Type.Array(ConsoleAudienceSchema), {
            description: 'The audiences.',
            events: 'Events `audiences`, each with the whole list.',
            example: 'event: audiences\ndata: {"audiences":[{"audience_id":1,…}]}\n\n',
          }),
        },
      },
    },
    async (request, reply) => {
      const { limit = defaultLimit, search = '', after = null } = request.query;
      const scope = readerScopeOf(request);
      return sendLive(request, reply, {
        authorize: auth.audience,
        async read() {
          const listed = await records.recentAudiences.list(scope, { limit, search, after });
          return listed.map(onTheWire);
        },
        event: 'audiences',
        data: (audiences) => ({ audiences }),
        intervalMs: everyMs,
        onlyChanges: true,
      });
    },
  );

  app.get(
    '/v1/console/segments/:segment_id',
    {
      onRequest: auth.audience,
      schema: {
        ...access,
        operationId: 'getConsoleSegment',
        summary: 'Get the audience of a segment',
        description: 'The console uses it to open a composition report from a link.',
        params: Type.Object({
          segment_id: PathId('The default_warehouse_segment_id of the audience.'),
        }),
        response: { 200: ConsoleAudienceSchema },
      },
    },
    async (request) => {
      const segmentId = parseId(request.params.segment_id, 'segment');
      const scope = readerScopeOf(request);
      const audience = await records.recentAudiences.ofSegment(scope, segmentId);
      return onTheWire(found(audience, 'segment'));
    },
  );
}
