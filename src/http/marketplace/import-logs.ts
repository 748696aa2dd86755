import { Type } from 'typebox';
import type { LoadState } from '../../domain/job.ts';
import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import { importLogOnTheWire } from '../../wire/import-log.ts';
import { type WaitFor, WaitHeaders, waitResponseHeaders } from '../answers/long-poll.ts';
import { ImportLogPath, ImportLogSchema } from '../job-reports/import-log-wire.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { found, parseId } from '../server/wire.ts';

const listedLogs = limits.listedImportLogs.most;
const importPath = '/v1/marketplace/import';
const tag = 'Marketplace import';

const ListQuery = Type.Object(
  pageQuery({ records: 'jobs', id: 'import_log_id', byDefault: listedLogs }),
  { additionalProperties: false },
);

interface LogSenders {
  readonly sendList: SendList;
  readonly waitFor: WaitFor;
}

export function registerImportLogs(
  app: App,
  records: Records,
  auth: Auth,
  { sendList, waitFor }: LogSenders,
): void {
  app.get(
    importPath,
    {
      ...partnerRoute(auth, tag, {
        operationId: 'listImportLogs',
        summary: 'List import logs',
        description:
          'Returns your jobs, newest first. Use `limit` and `after` to page through them. Unknown parameters are rejected.',
        querystring: ListQuery,
        response: { 200: Type.Array(ImportLogSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
      config: { isPolled: true },
    },
    async (request, reply) =>
      sendList(request, reply, {
        read: ({ after, limit }) => records.importLogs.latest(request.partnerId, limit, after),
        row: importLogOnTheWire,
        key: ({ importLogId }) => importLogId,
        byDefault: listedLogs,
      }),
  );

  app.get(
    `${importPath}/:import_log_id`,
    {
      ...partnerRoute(auth, tag, {
        operationId: 'getImportLog',
        summary: 'Get import log',
        description:
          'With `Prefer: wait=30` the response is sent when the job has ended, or after 30 seconds.',
        params: ImportLogPath,
        headers: WaitHeaders,
        response: {
          200: {
            description: 'The log.',
            headers: waitResponseHeaders,
            content: { 'application/json': { schema: ImportLogSchema } },
          },
        },
      }),
      config: { isPolled: true },
    },
    async (request, reply) => {
      const importLogId = parseId(request.params.import_log_id, 'import log');
      const read = async () =>
        found(await records.importLogs.find(request.partnerId, importLogId), 'import log');
      const log = await waitFor(request, reply, {
        read,
        isLast: hasEnded,
        authorize: auth.recheck.partner,
      });
      return importLogOnTheWire(log);
    },
  );
}

function hasEnded({ state }: { readonly state: LoadState }): boolean {
  return state !== 'pending' && state !== 'running';
}
