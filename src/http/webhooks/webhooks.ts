import { Type } from 'typebox';
import { eventBody } from '../../actions/emit-event.ts';
import { invalidInput, TributaryError } from '../../domain/errors.ts';
import { testEvent } from '../../domain/webhooks/events.ts';
import type { WebhookTargets } from '../../domain/webhooks/targets.ts';
import type { Records } from '../../records/records.ts';
import type { Webhook } from '../../records/webhooks/webhooks.ts';
import { webhookUrlFault } from '../../webhooks/targets.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, Nullable, parseId, Timestamp } from '../server/wire.ts';
import {
  auditedWebhook,
  Description,
  Events,
  NewWebhookSchema,
  Secret,
  Url,
  WebhookPath,
  WebhookSchema,
  webhookOnTheWire,
} from './webhook-wire.ts';

const webhooksPath = '/v1/webhooks';
export const webhookPath = `${webhooksPath}/:webhook_id`;
export const tag = 'Webhooks';

const defaultOverlapHours = 24;
const longestOverlapHours = 7 * 24;

export interface WebhookDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly write: Write;
  readonly targets: WebhookTargets;
}

export function registerWebhooks(app: App, deps: WebhookDependencies): void {
  const { records, auth, write, targets } = deps;

  app.post(
    webhooksPath,
    partnerRoute(auth, tag, {
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'Events are sent to the URL from now on, in the format of Standard Webhooks 1.0.0 and signed with the secret. Each event is sent at least once, in no particular order. Its `webhook-id` stays the same when it is sent again.',
      headers: WriteHeaders,
      body: Type.Object(
        { url: Url, description: Type.Optional(Description), events: Type.Optional(Events) },
        { additionalProperties: false },
      ),
      response: { 201: NewWebhookSchema },
    }),
    async (request, reply) => {
      const { url, description = '', events = null } = request.body;
      refuseInvalid(url);
      const created = await write(request, reply, async (tx) => {
        const webhookId = await tx.webhooks.create(request.partnerId, { url, description, events });
        const webhook = await existing(tx, request.partnerId, webhookId);
        const location = `${webhooksPath}/${webhookId}`;
        const change = { after: auditedWebhook(webhook) };
        return { status: 201, location, body: webhookOnTheWire(webhook), change };
      });
      return { ...created, secret: await newestSecret(created.webhook_id) };
    },
  );

  app.get(
    webhooksPath,
    partnerRoute(auth, tag, {
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Your webhooks, the oldest first, without their secrets.',
      response: { 200: Type.Array(WebhookSchema) },
    }),
    async ({ partnerId }) => (await records.webhooks.list(partnerId)).map(webhookOnTheWire),
  );

  app.get(
    webhookPath,
    partnerRoute(auth, tag, {
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      params: WebhookPath,
      response: { 200: WebhookSchema },
    }),
    async ({ partnerId, params }) =>
      webhookOnTheWire(await existing(records, partnerId, idOf(params))),
  );

  app.patch(
    webhookPath,
    partnerRoute(auth, tag, {
      operationId: 'changeWebhook',
      summary: 'Change a webhook',
      description:
        'Fields that you leave out keep their values. While a webhook is disabled, its events wait. They are sent when you enable it. If the service disabled it (`gone` or `failing`), only events from before wait; later ones are not stored for it. Only the operator can enable a webhook that the operator disabled.',
      params: WebhookPath,
      headers: WriteHeaders,
      body: Type.Object(
        {
          url: Type.Optional(Url),
          description: Type.Optional(Description),
          events: Type.Optional(Events),
          disabled: Type.Optional(Type.Boolean({ examples: [false] })),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      response: { 200: WebhookSchema },
    }),
    async (request, reply) => {
      const webhookId = idOf(request.params);
      const { disabled, ...change } = request.body;
      if (change.url !== undefined) refuseInvalid(change.url);
      return write(request, reply, async (tx) => {
        const before = await existing(tx, request.partnerId, webhookId);
        await tx.webhooks.change(webhookId, change);
        if (disabled === false) await enable(tx, before);
        if (disabled === true && !before.disabledAt)
          await tx.webhooks.disable(webhookId, 'partner');
        const after = await existing(tx, request.partnerId, webhookId);
        return {
          status: 200,
          location: null,
          body: webhookOnTheWire(after),
          change: { before: auditedWebhook(before), after: auditedWebhook(after) },
        };
      });
    },
  );

  app.delete(
    webhookPath,
    partnerRoute(auth, tag, {
      operationId: 'removeWebhook',
      summary: 'Remove a webhook',
      description: 'Pending events are not sent.',
      params: WebhookPath,
      headers: WriteHeaders,
      response: { 204: Type.Null({ description: 'Removed.' }) },
    }),
    async (request, reply) => {
      const webhookId = idOf(request.params);
      return write(request, reply, async (tx) => {
        const before = await existing(tx, request.partnerId, webhookId);
        await tx.webhooks.remove(webhookId);
        return {
          status: 204,
          location: null,
          body: null,
          change: { before: auditedWebhook(before) },
        };
      });
    },
  );

  app.post(
    `${webhookPath}/secret`,
    partnerRoute(auth, tag, {
      operationId: 'rotateWebhookSecret',
      summary: "Replace a webhook's secret",
      description:
        'During the overlap, every event is signed with both the new secret and the previous one. Replace the secret in your receiver within that time.',
      params: WebhookPath,
      headers: WriteHeaders,
      body: Nullable(
        Type.Object(
          {
            overlap_hours: Type.Optional(
              Type.Number({
                minimum: 0,
                maximum: longestOverlapHours,
                description: `For how many hours events are also signed with the previous secret. Defaults to ${defaultOverlapHours}.`,
                examples: [defaultOverlapHours],
              }),
            ),
          },
          { additionalProperties: false },
        ),
      ),
      response: {
        201: Type.Object(
          { secret: Secret, previous_secret_until: Nullable(Timestamp) },
          { description: 'Created.' },
        ),
      },
    }),
    async (request, reply) => {
      const webhookId = idOf(request.params);
      const overlapHours = request.body?.overlap_hours ?? defaultOverlapHours;
      const rotated = await write(request, reply, async (tx) => {
        await existing(tx, request.partnerId, webhookId);
        await tx.webhooks.rotateSecret(webhookId, overlapHours);
        const { previousSecretUntil } = await existing(tx, request.partnerId, webhookId);
        const body = { previous_secret_until: previousSecretUntil?.toISOString() ?? null };
        const change = { after: { webhook_id: webhookId, has_new_secret: true, ...body } };
        return { status: 201, location: null, body, change };
      });
      return { ...rotated, secret: await newestSecret(webhookId) };
    },
  );

  app.post(
    `${webhookPath}/test`,
    partnerRoute(auth, tag, {
      operationId: 'testWebhook',
      summary: 'Send a test',
      description: `Sends an event of the type \`${testEvent}\` to this webhook. The list of deliveries shows the result.`,
      params: WebhookPath,
      headers: WriteHeaders,
      response: {
        202: Type.Object(
          { event_id: Type.String({ examples: ['msg_0123456789abcdef0123456789abcdef'] }) },
          { description: 'It is sent within a few seconds.' },
        ),
      },
    }),
    async (request, reply) => {
      const webhookId = idOf(request.params);
      return write(request, reply, async (tx) => {
        const webhook = await existing(tx, request.partnerId, webhookId);
        refuseDisabled(webhook);
        const event_id = await tx.webhookEvents.addFor(webhookId, {
          partnerId: request.partnerId,
          type: testEvent,
          body: eventBody(testEvent, webhookOnTheWire(webhook)),
        });
        const body = { event_id };
        return { status: 202, location: null, body, change: { after: body } };
      });
    },
  );

  /** Not part of the answer that is kept for an Idempotency-Key, because it would be kept in clear. */
  async function newestSecret(webhookId: number): Promise<string> {
    const [newest] = (await records.webhooks.secrets([webhookId])).get(webhookId) ?? [];
    return found(newest, 'webhook');
  }

  function refuseInvalid(url: string): void {
    const fault = webhookUrlFault(url, targets);
    if (fault !== undefined) throw invalidInput('/url', fault);
  }
}

async function enable(tx: Records, { webhookId, disabledBy }: Webhook): Promise<void> {
  if (disabledBy === 'operator') {
    throw new TributaryError(
      'forbidden',
      'The operator disabled this webhook. Ask the operator to enable it.',
    );
  }
  if (disabledBy !== null) await tx.webhooks.enable(webhookId);
}

export function refuseDisabled({ disabledAt }: Webhook): void {
  if (disabledAt) throw invalidInput('', 'The webhook is disabled. Enable it first.');
}

export function idOf({ webhook_id }: { readonly webhook_id: string }): number {
  return parseId(webhook_id, 'webhook');
}

export async function existing(
  records: Records,
  partnerId: number | null,
  webhookId: number,
): Promise<Webhook> {
  return found(await records.webhooks.find(partnerId, webhookId), 'webhook');
}
