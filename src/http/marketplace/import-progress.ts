import type { Records } from '../../records/records.ts';
import { ImportLogPath } from '../job-reports/import-log-wire.ts';
import {
  eventsDescription,
  ProgressAnswer,
  type SendProgress,
} from '../job-reports/progress-answers.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, parseId } from '../server/wire.ts';

export function registerImportProgress(
  app: App,
  records: Records,
  auth: Auth,
  sendProgress: SendProgress,
): void {
  app.get(
    '/v1/marketplace/import/:import_log_id/progress',
    partnerRoute(auth, 'Marketplace import', {
      operationId: 'getImportProgress',
      summary: 'Get progress',
      description: `Returns the progress of a job, its speed and its position in your queue. ${eventsDescription}`,
      params: ImportLogPath,
      response: { 200: ProgressAnswer },
    }),
    async (request, reply) => {
      const { partnerId } = request;
      const importLogId = parseId(request.params.import_log_id, 'import log');
      found(await records.importLogs.find(partnerId, importLogId), 'import log');
      return sendProgress(request, reply, auth.partner, async () =>
        found(await records.jobProgress.of(partnerId, importLogId), 'import log'),
      );
    },
  );
}
