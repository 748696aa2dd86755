import { Type } from 'typebox';
import { logType } from '../../domain/job.ts';
import type { Records } from '../../records/records.ts';
import { ImportLogPath } from '../job-reports/import-log-wire.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, Nullable, parseId } from '../server/wire.ts';

/** The request of an import, so that the console can queue it again. */
export function registerImportRequest(app: App, records: Records, auth: Auth): void {
  app.get(
    '/v1/console/imports/:import_log_id/request',
    partnerRoute(auth, 'Console', {
      operationId: 'getImportRequest',
      summary: 'Get the request of an import',
      description:
        'Returns the body of the request that queued an import or dry run. Send it again to run the import again. It has no credentials, because they are deleted when the import ends.',
      params: ImportLogPath,
      response: {
        200: Type.Object({
          file_path: Type.String({ examples: ['devices.csv'] }),
          key_type: Type.Enum([0, 1], { examples: [1] }),
          path_type: Type.Enum([0, 1], { examples: [0] }),
          compressed: Nullable(Type.Boolean(), {
            description: 'Null if it was left out.',
            examples: [null],
          }),
          mode: Type.Enum(['merge', 'replace'], { examples: ['merge'] }),
          dry_run: Type.Boolean({ examples: [true] }),
        }),
      },
    }),
    async ({ params, partnerId }) => {
      const importLogId = parseId(params.import_log_id, 'import');
      const log = await records.importLogs.find(partnerId, importLogId);
      const isImport = log?.logType === logType.import || log?.logType === logType.dryRun;
      found(isImport, 'import');
      const { filePath, keyType, pathType, compressed, mode, dryRun } =
        await records.importLogs.request(importLogId);
      return {
        file_path: filePath,
        key_type: keyType,
        path_type: pathType,
        compressed,
        mode,
        dry_run: dryRun,
      };
    },
  );
}
