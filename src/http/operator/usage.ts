import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { parseQueryNumbers } from '../lists/query-numbers.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { Id } from '../server/wire.ts';
import {
  monthsOf,
  QuotasSchema,
  sendUsage,
  UsageQuery,
  UsageResponse,
} from '../usage/usage-wire.ts';
import { operatorRoute } from './operator-route.ts';
import { existingPartner, PartnerParams, partnerPath } from './partner-path.ts';

const quotasPath = `${partnerPath}/quotas`;
const QuotasChange = Type.Object(Type.Partial(QuotasSchema).properties, {
  additionalProperties: false,
});

export function registerAdminUsage(app: App, records: Records, auth: Auth): void {
  app.get(
    '/admin/v1/usage',
    {
      ...operatorRoute(auth, {
        operationId: 'listUsage',
        summary: 'Usage of partners by month',
        description: 'As JSON, or as CSV with `Accept: text/csv`. Removed partners are included.',
        querystring: Type.Object(
          { ...UsageQuery.properties, partner_id: Type.Optional(Id('Only this partner.')) },
          { additionalProperties: false },
        ),
        response: { 200: UsageResponse },
      }),
      preValidation: parseQueryNumbers('partner_id'),
    },
    async (request, reply) => {
      const { since, until } = monthsOf(request.query);
      const { partner_id = null } = request.query;
      return sendUsage(request, reply, await records.usage.list(since, until, partner_id));
    },
  );

  app.get(
    quotasPath,
    operatorRoute(auth, {
      operationId: 'getPartnerQuotas',
      summary: 'Quotas of a partner',
      description: 'The storage quota is at `/admin/v1/partners/{partner_id}/storage`.',
      params: PartnerParams,
      response: { 200: QuotasSchema },
    }),
    async (request) => {
      const { partnerId } = await existingPartner(records, request.params);
      return records.usage.quotas(partnerId);
    },
  );

  app.patch(
    quotasPath,
    operatorRoute(auth, {
      operationId: 'changePartnerQuotas',
      summary: "Set a partner's quotas",
      description: 'Quotas that are left out stay as they are. A lower quota deletes nothing.',
      params: PartnerParams,
      body: QuotasChange,
      response: { 200: QuotasSchema },
    }),
    async (request) => {
      const { partnerId } = await existingPartner(records, request.params);
      const before = await records.usage.quotas(partnerId);
      const after = { ...before, ...request.body };
      await records.usage.setQuotas(partnerId, after);
      noteChange(request, { before, after });
      return after;
    },
  );
}
