import type { Records } from '../../records/records.ts';
import { ImportLogPath } from '../job-reports/import-log-wire.ts';
import {
  downloadDescription,
  RejectsDownload,
  sendRejects,
} from '../job-reports/rejects-download.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, parseId } from '../server/wire.ts';

export function registerImportRejects(app: App, records: Records, auth: Auth): void {
  app.get(
    '/v1/marketplace/import/:import_log_id/rejects',
    partnerRoute(auth, 'Marketplace import', {
      operationId: 'downloadRejects',
      summary: 'Download rejected rows',
      description: `Returns the rejected rows, ordered by file and line, at most 10,000 per file. The problem "rejects_left_out" counts those left out beyond that and beyond the limits of a job. They are kept for 30 days after the job ends. ${downloadDescription}`,
      params: ImportLogPath,
      response: { 200: RejectsDownload },
    }),
    async (request, reply) => {
      const importLogId = parseId(request.params.import_log_id, 'import log');
      found(await records.importLogs.find(request.partnerId, importLogId), 'import log');
      const pages = records.rejects.read(importLogId);
      return sendRejects(request, reply, pages, `import-${importLogId}-rejects`);
    },
  );
}
