import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import { operatorRoute } from '../operator/operator-route.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { Id } from '../server/wire.ts';
import {
  auditedWebhook,
  DeliverySchema,
  deliveryOnTheWire,
  WebhookPath,
  WebhookSchema,
  webhookOnTheWire,
  withoutQuery,
} from './webhook-wire.ts';
import { existing, idOf } from './webhooks.ts';

const adminPath = '/admin/v1/webhooks';
const byDefault = limits.pageRecords.most;

const OperatedSchema = Type.Object({
  ...WebhookSchema.properties,
  url: Type.String({
    description: 'Without its query, which may hold a secret.',
    examples: ['https://acme.example/tributary'],
  }),
  partner_id: Id('The partner that owns the webhook.'),
  partner_name: Type.String({ examples: ['acme'] }),
  pending: Type.Integer({ description: 'Events that are not delivered yet.', examples: [0] }),
});

const ListQuery = Type.Object(pageQuery({ records: 'webhooks', id: 'webhook_id', byDefault }), {
  additionalProperties: false,
});

const DeliveriesQuery = Type.Object(
  pageQuery({ records: 'deliveries', id: 'delivery_id', byDefault }),
  { additionalProperties: false },
);

/** The webhooks of all partners. The operator sees them and can disable them. */
export function registerAdminWebhooks(
  app: App,
  records: Records,
  auth: Auth,
  sendList: SendList,
): void {
  app.get(
    adminPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listAllWebhooks',
        summary: 'List webhooks',
        description:
          'The webhooks of all partners, ordered by webhook_id. Use `limit` and `after` to page through them. Unknown parameters are rejected.',
        querystring: ListQuery,
        response: { 200: Type.Array(OperatedSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) =>
      sendList(request, reply, {
        read: (page) => records.webhooks.listAll(page),
        row: (webhook) => ({
          ...webhookOnTheWire(webhook),
          url: withoutQuery(webhook.url),
          partner_id: webhook.partnerId,
          partner_name: webhook.partnerName,
          pending: webhook.pending,
        }),
        key: ({ webhookId }) => webhookId,
        byDefault,
      }),
  );

  app.patch(
    `${adminPath}/:webhook_id`,
    operatorRoute(auth, {
      operationId: 'disableWebhook',
      summary: 'Disable or enable a webhook',
      description:
        'The partner cannot enable a webhook that you disabled. Its events wait, and are sent when you enable it.',
      params: WebhookPath,
      body: Type.Object(
        { disabled: Type.Boolean({ examples: [true] }) },
        { additionalProperties: false },
      ),
      response: { 204: Type.Null({ description: 'Changed.' }) },
    }),
    async (request, reply) => {
      const webhookId = idOf(request.params);
      const before = await existing(records, null, webhookId);
      if (request.body.disabled) await records.webhooks.disable(webhookId, 'operator');
      else await records.webhooks.enable(webhookId);
      const after = await existing(records, null, webhookId);
      noteChange(request, { before: auditedWebhook(before), after: auditedWebhook(after) });
      return reply.code(204).send(null);
    },
  );

  app.get(
    `${adminPath}/:webhook_id/deliveries`,
    {
      ...operatorRoute(auth, {
        operationId: 'listAllWebhookDeliveries',
        summary: "List a webhook's deliveries",
        description:
          'The events for the webhook, newest first, each with its attempts, without their contents. Use `limit` and `after` to page through them. Unknown parameters are rejected.',
        params: WebhookPath,
        querystring: DeliveriesQuery,
        response: { 200: Type.Array(DeliverySchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { webhookId } = await existing(records, null, idOf(request.params));
      return sendList(request, reply, {
        read: (page) => records.webhookDeliveries.list(webhookId, page),
        row: deliveryOnTheWire,
        key: ({ deliveryId }) => deliveryId,
        byDefault,
      });
    },
  );
}
