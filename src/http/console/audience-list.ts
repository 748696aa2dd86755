import { Type } from 'typebox';
import type { NamedAudience } from '../../records/audiences/recent-audiences.ts';
import type { Records } from '../../records/records.ts';
import { readerScopeOf } from '../audiences/audience-scope.ts';
import { AudienceSchema, audienceOnTheWire } from '../audiences/audience-wire.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { liveAnswer, type SendLive } from '../server/live-answers.ts';
import { readNumbers } from '../server/query-numbers.ts';
import { found, Nullable, oneLine, PathId, parseId } from '../server/wire.ts';

const everyMs = 2_000;
const usualLimit = 100;

const access = {
  tags: ['Console'],
  security: [{ apiKey: [] }, { apiKey: [], userToken: [] }],
};

const ConsoleAudienceSchema = Type.Object({
  ...AudienceSchema.properties,
  partner_name: Type.String({ description: 'Who loads it.', examples: ['Acme'] }),
  customer_name: Nullable(Type.String(), {
    description: 'On whose behalf; null if it is the partner’s alone.',
    examples: ['Corner shop'],
  }),
});

const ListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: `How many at most; ${usualLimit} if left out.`,
      }),
    ),
    search: Type.Optional(
      Type.String({
        maxLength: 255,
        pattern: oneLine,
        description: 'Only those with this in their name, in whatever letter case.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Audiences for people: those of a partner, or those of the customer whose user is signed in. */
export function registerConsoleAudiences(
  app: App,
  records: Records,
  auth: Auth,
  sendLive: SendLive,
): void {
  app.get(
    '/v1/console/audiences',
    {
      onRequest: auth.audience,
      preValidation: readNumbers('limit'),
      schema: {
        ...access,
        operationId: 'listConsoleAudiences',
        summary: 'List audiences, newest activity first',
        description:
          'A partner’s; with a user token, or for a customer’s user who is signed in, the customer’s. With `Accept: text/event-stream` they are told at once as an event `audiences` with the data `{"audiences": […]}`, and again within about two seconds of a change. Comment lines keep the stream alive meanwhile; it ends when whoever follows may no longer.',
        querystring: ListQuery,
        response: {
          200: liveAnswer(Type.Array(ConsoleAudienceSchema), {
            description: 'The audiences.',
            events: 'Events `audiences`, each with all that is listed.',
            example: 'event: audiences\ndata: {"audiences":[{"audience_id":1,…}]}\n\n',
          }),
        },
      },
    },
    async (request, reply) => {
      const { limit = usualLimit, search = '' } = request.query;
      const scope = readerScopeOf(request);
      return sendLive(request, reply, {
        guard: auth.audience,
        async look() {
          const listed = await records.recentAudiences.list(scope, { limit, search });
          return listed.map(consoleAudienceOnTheWire);
        },
        event: 'audiences',
        data: (audiences) => ({ audiences }),
        everyMs,
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
        description: 'Where a link to a composition report leads.',
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
      return consoleAudienceOnTheWire(found(audience, 'segment'));
    },
  );
}

function consoleAudienceOnTheWire(audience: NamedAudience) {
  return {
    ...audienceOnTheWire(audience),
    partner_name: audience.partnerName,
    customer_name: audience.customerName,
  };
}
