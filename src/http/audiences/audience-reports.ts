import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { ImportErrorSchema } from '../job-reports/import-log-wire.ts';
import {
  eventsDescription,
  ProgressAnswer,
  type SendProgress,
} from '../job-reports/progress-answers.ts';
import {
  downloadDescription,
  RejectsDownload,
  sendRejects,
} from '../job-reports/rejects-download.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found } from '../server/wire.ts';
import { type AudienceAddress, audienceRoute } from './audience-address.ts';
import { visibleAudience } from './audience-scope.ts';
import { AudiencePath } from './audience-wire.ts';

const ErrorsQuery = Type.Object(
  pageQuery({ records: 'errors', id: 'number in the list', byDefault: null }),
  { additionalProperties: false },
);

/** Reports on the loads of an audience: errors, rejected rows and progress. */
export function registerAudienceReports(
  app: App,
  address: AudienceAddress,
  records: Records,
  auth: Auth,
  sendProgress: SendProgress,
  sendList: SendList,
): void {
  app.get(
    `${address.path}/:audience_id/errors`,
    {
      ...audienceRoute(auth, address, {
        operationId: 'listAudienceErrors',
        summary: 'List errors',
        description:
          'Returns why files failed, and which rows or labels of loaded files were dropped: one entry per kind of problem and file. Failed files come first, then loaded ones, both in the order of `file`; the failure of a file precedes its other problems. If the last load failed as a whole, the first entry states the reason and its `file` is null. A label is dropped if it is longer than 256 bytes (`label_too_long`) or if the audience already has 1,000 labels (`too_many_labels`). The row is loaded without it.',
        params: AudiencePath,
        querystring: ErrorsQuery,
        response: { 200: Type.Array(ImportErrorSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { audienceId } = await visibleAudience(records, request, request.params.audience_id);
      return sendList(request, reply, {
        read: (page) => records.audienceProblems.list(audienceId, page),
        row: ({ problem }) => problem,
        key: ({ number }) => number,
        byDefault: null,
      });
    },
  );

  app.get(
    `${address.path}/:audience_id/rejects`,
    audienceRoute(auth, address, {
      operationId: 'downloadAudienceRejects',
      summary: 'Download rejected rows',
      description: `Returns the rows that were rejected when each file was last loaded, ordered by file and line, at most 10,000 per file. The problem "rejects_left_out" counts those left out beyond that and beyond the limits of a job. They are kept for 30 days after the load ends. ${downloadDescription}`,
      params: AudiencePath,
      response: { 200: RejectsDownload },
    }),
    async (request, reply) => {
      const { audienceId } = await visibleAudience(records, request, request.params.audience_id);
      const pages = records.audienceRejects.read(audienceId);
      return sendRejects(request, reply, pages, `audience-${audienceId}-rejects`);
    },
  );

  app.get(
    `${address.path}/:audience_id/progress`,
    audienceRoute(auth, address, {
      operationId: 'getAudienceProgress',
      summary: 'Get progress',
      description: `Returns the progress of the load that is running or next to run. If there is none, of the latest load. ${eventsDescription}`,
      params: AudiencePath,
      response: { 200: ProgressAnswer },
    }),
    async (request, reply) => {
      const { audienceId } = await visibleAudience(records, request, request.params.audience_id);
      return sendProgress(request, reply, auth.audience, async () =>
        found(await records.jobProgress.ofAudience(audienceId), 'audience'),
      );
    },
  );
}
