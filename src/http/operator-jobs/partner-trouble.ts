import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { operatorRoute } from '../operator/operator-route.ts';
import { existingPartner, PartnerParams, partnerPath } from '../operator/partner-path.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';

const TroubleSchema = Type.Object({
  retry: Nullable(
    Type.Object({
      job_id: Id('The job.'),
      attempts: Type.Integer({ description: 'Number of attempts.', examples: [3] }),
      storage_failures: Type.Integer({
        description: 'How often the storage of its files was unavailable.',
        examples: [2],
      }),
      retry_at: Timestamp,
    }),
    {
      description:
        'The job that waits for its next attempt. All later jobs of the partner wait for it. Null if there is none.',
      examples: [null],
    },
  ),
  held_reports: Type.Integer({
    description:
      'Audiences whose reports are not refreshed until the next day, because the partner has reached its daily limit of reports on changed audiences.',
    examples: [0],
  }),
  quotas: Type.Array(
    Type.Object({
      what: Type.Enum(['requests', 'rows', 'devices', 'storage_bytes'], { examples: ['rows'] }),
      used: Type.Integer({ examples: [950000] }),
      quota: Type.Integer({ examples: [1000000] }),
    }),
    { description: 'The quotas that the partner has. Requests and rows are those of this month.' },
  ),
});

/** What delays a partner, besides failed jobs. */
export function registerAdminPartnerTrouble(app: App, records: Records, auth: Auth): void {
  app.get(
    `${partnerPath}/trouble`,
    operatorRoute(auth, {
      operationId: 'getPartnerTrouble',
      summary: 'What delays a partner',
      description: 'Retries, reports on hold and quotas. Failed jobs are at `GET /admin/v1/jobs`.',
      params: PartnerParams,
      response: { 200: TroubleSchema },
    }),
    async (request) => {
      const { partnerId } = await existingPartner(records, request.params);
      const retry = await records.allJobs.retrying(partnerId);
      const used = await records.usage.used(partnerId);
      const quotas = await records.usage.quotas(partnerId);
      const stored = await records.storageUses.of(partnerId);
      const uses = [
        { what: 'requests', used: used.requests, quota: quotas.requests },
        { what: 'rows', used: used.rows, quota: quotas.rows },
        { what: 'devices', used: used.devices, quota: quotas.devices },
        { what: 'storage_bytes', used: stored.bytes, quota: stored.quota },
      ] as const;
      return {
        retry: retry
          ? {
              job_id: retry.jobId,
              attempts: retry.attempts,
              storage_failures: retry.storageFailures,
              retry_at: retry.retryAt.toISOString(),
            }
          : null,
        held_reports: await records.audiences.heldReports(partnerId),
        quotas: uses.flatMap(({ what, used, quota }) =>
          quota === null ? [] : [{ what, used, quota }],
        ),
      };
    },
  );
}
