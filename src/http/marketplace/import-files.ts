import { Type } from 'typebox';
import { statusOf } from '../../domain/job.ts';
import type { Records } from '../../records/records.ts';
import { ImportLogPath } from '../job-reports/import-log-wire.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, parseId, Timestamp } from '../server/wire.ts';

const ImportFileSchema = Type.Object({
  s3_path: Type.String({
    description: 'The key with your prefix, or `s3://…` for a file in your own bucket.',
    examples: ['partner-1/devices.csv'],
  }),
  status: Type.Integer({
    description:
      '0 = not read yet, 1 = being read, 2 = read, 3 = failed. If a file fails, the import fails.',
    examples: [2],
  }),
  total_rows: Type.Integer({ description: 'Data rows read, including rejected rows.' }),
  rejected_rows: Type.Integer({ examples: [0] }),
  updated_at: Timestamp,
});

const ListQuery = Type.Object(
  pageQuery({ records: 'files', id: 'number in the list', byDefault: null }),
  { additionalProperties: false },
);

export function registerImportFiles(
  app: App,
  records: Records,
  auth: Auth,
  sendList: SendList,
): void {
  app.get(
    '/v1/marketplace/import/:import_log_id/files',
    {
      ...partnerRoute(auth, 'Marketplace import', {
        operationId: 'listImportFiles',
        summary: 'List the files of an import',
        description:
          'Returns the files in key order. The list is empty until the import runs, because the path is looked up at that point.',
        params: ImportLogPath,
        querystring: ListQuery,
        response: { 200: Type.Array(ImportFileSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const importLogId = parseId(request.params.import_log_id, 'import log');
      found(await records.importLogs.find(request.partnerId, importLogId), 'import log');
      return sendList(request, reply, {
        read: (page) => records.importFiles.list(importLogId, page),
        row: (file) => ({
          s3_path: file.s3Path,
          status: statusOf[file.state],
          total_rows: file.totalRows,
          rejected_rows: file.rejectedRows,
          updated_at: file.updatedAt.toISOString(),
        }),
        key: ({ number }) => number,
        byDefault: null,
      });
    },
  );
}
