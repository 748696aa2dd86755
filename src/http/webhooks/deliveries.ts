import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import { linkNext } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { WriteHeaders } from '../server/idempotent-write.ts';
import { liveResponse, type SendLive } from '../server/live-answers.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, Timestamp } from '../server/wire.ts';
import { DeliverySchema, deliveryOnTheWire, WebhookPath } from './webhook-wire.ts';
import {
  existing,
  idOf,
  refuseDisabled,
  tag,
  type WebhookDependencies,
  webhookPath,
} from './webhooks.ts';

const listed = 50;
const everyMs = 1_000;

const DeliveriesQuery = Type.Object(
  pageQuery({ records: 'deliveries', id: 'delivery_id', byDefault: listed }),
  { additionalProperties: false },
);

/** What was sent to a webhook, and sending it again. */
export function registerWebhookDeliveries(
  app: App,
  { records, auth, write }: WebhookDependencies,
  sendLive: SendLive,
): void {
  app.get(
    `${webhookPath}/deliveries`,
    {
      ...partnerRoute(auth, tag, {
        operationId: 'listWebhookDeliveries',
        summary: 'List deliveries',
        description: `The events for the webhook, newest first, each with its attempts. They are kept for ${limits.webhookDays.most} days. Use \`limit\` and \`after\` to page through them. With \`Accept: text/event-stream\` the response is a stream. It sends an event \`deliveries\` with the data \`{"deliveries": […]}\` at once, and again within about a second of a change. Comment lines keep the stream alive. It ends when the caller loses access.`,
        params: WebhookPath,
        querystring: DeliveriesQuery,
        response: {
          200: {
            ...liveResponse(Type.Array(DeliverySchema), {
              description: 'The deliveries.',
              events: 'Events `deliveries`, each with the whole list.',
              example: 'event: deliveries\ndata: {"deliveries":[{"delivery_id":1,…}]}\n\n',
            }),
            headers: pageHeaders,
          },
        },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { webhookId } = await existing(records, request.partnerId, idOf(request.params));
      const { limit = listed, after = null } = request.query;
      let next: number | null = null;
      const answer = await sendLive(request, reply, {
        authorize: auth.partner,
        async read() {
          const page = await records.webhookDeliveries.list(webhookId, { after, limit: limit + 1 });
          next = page.length > limit ? page[limit - 1]!.deliveryId : null;
          return page.slice(0, limit).map(deliveryOnTheWire);
        },
        event: 'deliveries',
        data: (deliveries) => ({ deliveries }),
        intervalMs: everyMs,
        onlyChanges: true,
      });
      if (next !== null) linkNext(request, reply, { limit, after: next });
      return answer;
    },
  );

  app.post(
    `${webhookPath}/replay`,
    partnerRoute(auth, tag, {
      operationId: 'replayWebhook',
      summary: 'Send events again',
      description: `Sends one event again, or all events for the webhook since a time, whether they were delivered or not. They keep their \`webhook-id\`. Events are kept for ${limits.webhookDays.most} days.`,
      params: WebhookPath,
      headers: WriteHeaders,
      body: Type.Union([
        Type.Object(
          {
            event_id: Type.String({
              pattern: '^msg_[0-9a-f]{32}$',
              description: 'The event, as in the list of deliveries.',
              examples: ['msg_0123456789abcdef0123456789abcdef'],
            }),
          },
          { additionalProperties: false },
        ),
        Type.Object({ since: Timestamp }, { additionalProperties: false }),
      ]),
      response: {
        202: Type.Object(
          { events: Type.Integer({ description: 'How many are sent again.', examples: [1] }) },
          { description: 'They are sent as soon as possible.' },
        ),
      },
    }),
    async (request, reply) => {
      const webhookId = idOf(request.params);
      const { body: asked } = request;
      return write(request, reply, async (tx) => {
        refuseDisabled(await existing(tx, request.partnerId, webhookId));
        const events =
          'since' in asked
            ? await tx.webhookDeliveries.replaySince(webhookId, new Date(asked.since))
            : Number(found(await tx.webhookDeliveries.replay(webhookId, asked.event_id), 'event'));
        const change = { after: { ...asked, events } };
        return { status: 202, location: null, body: { events }, change };
      });
    },
  );
}
