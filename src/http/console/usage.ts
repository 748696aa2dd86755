import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import {
  monthsOf,
  QuotasSchema,
  sendUsage,
  UsageQuery,
  UsageResponse,
} from '../usage/usage-wire.ts';

export function registerUsage(app: App, records: Records, auth: Auth): void {
  app.get(
    '/v1/usage',
    partnerRoute(auth, 'Files and usage', {
      operationId: 'getUsage',
      summary: 'Your usage by month',
      description: 'As JSON, or as CSV with `Accept: text/csv`.',
      querystring: UsageQuery,
      response: { 200: UsageResponse },
    }),
    async (request, reply) => {
      const { since, until } = monthsOf(request.query);
      return sendUsage(request, reply, await records.usage.list(since, until, request.partnerId));
    },
  );

  app.get(
    '/v1/usage/quotas',
    partnerRoute(auth, 'Files and usage', {
      operationId: 'getQuotas',
      summary: 'Your quotas',
      description: 'The quota of the object store is at `/v1/console/storage`.',
      response: { 200: Type.Object(QuotasSchema.properties) },
    }),
    async ({ partnerId }) => records.usage.quotas(partnerId),
  );
}
