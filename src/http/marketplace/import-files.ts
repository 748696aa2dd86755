import { Type } from 'typebox';
import { statusOf } from '../../domain/job.ts';
import type { Records } from '../../records/records.ts';
import { ImportLogPath } from '../job-reports/import-log-wire.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, parseId, Timestamp } from '../server/wire.ts';

const ImportFileSchema = Type.Object({
  s3_path: Type.String({
    description: 'The key with your prefix; `s3://…` in a bucket of your own.',
    examples: ['partner-1/devices.csv'],
  }),
  status: Type.Integer({
    description: '0 = not read yet; 1 = being read; 2 = read; 3 = failed, and the import with it.',
    examples: [2],
  }),
  total_rows: Type.Integer({ description: 'Data rows read, rejected ones included.' }),
  rejected_rows: Type.Integer({ examples: [0] }),
  updated_at: Timestamp,
});

export function registerImportFiles(app: App, records: Records, auth: Auth): void {
  app.get(
    '/v1/marketplace/import/:import_log_id/files',
    {
      onRequest: auth.partner,
      schema: {
        tags: ['Marketplace import'],
        security: [{ apiKey: [] }],
        operationId: 'listImportFiles',
        summary: 'List files of an import',
        description:
          'In key order. None until the turn of the import has come, for only then the path is looked up.',
        params: ImportLogPath,
        response: { 200: Type.Array(ImportFileSchema) },
      },
    },
    async (request) => {
      const importLogId = parseId(request.params.import_log_id, 'import log');
      found(await records.importLogs.find(request.partnerId, importLogId), 'import log');
      const files = await records.importFiles.list(importLogId);
      return files.map((file) => ({
        s3_path: file.s3Path,
        status: statusOf[file.state],
        total_rows: file.totalRows,
        rejected_rows: file.rejectedRows,
        updated_at: file.updatedAt.toISOString(),
      }));
    },
  );
}
