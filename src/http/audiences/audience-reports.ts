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
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found } from '../server/wire.ts';
import type { AudienceAddress } from './audience-address.ts';
import { visibleAudience } from './audience-scope.ts';
import { AudiencePath } from './audience-wire.ts';

/** What is told of an audience's loads: errors, rejected rows and progress. */
export function registerAudienceReports(
  app: App,
  address: AudienceAddress,
  records: Records,
  auth: Auth,
  sendProgress: SendProgress,
): void {
  app.get(
    `${address.path}/:audience_id/errors`,
    {
      onRequest: auth.audience,
      schema: {
        ...address.describe({
          operationId: 'listAudienceErrors',
          summary: 'List errors',
          description:
            'Why files failed, and which rows or labels were dropped of those that loaded: one entry for each kind of problem and file, in the order of `file`. If the last load failed as a whole, its reason comes after them, with the file null. Labels dropped: `label_too_long` (over 256 bytes), `too_many_labels` (past 1,000 of the audience); their rows load.',
        }),
        params: AudiencePath,
        response: { 200: Type.Array(ImportErrorSchema) },
      },
    },
    async (request) => {
      const { audienceId } = await visibleAudience(records, request, request.params.audience_id);
      return records.audienceProblems.list(audienceId);
    },
  );

  app.get(
    `${address.path}/:audience_id/rejects`,
    {
      onRequest: auth.audience,
      schema: {
        ...address.describe({
          operationId: 'downloadAudienceRejects',
          summary: 'Download rejected rows',
          description: `The rows that were dropped when each file was last loaded, by file and line, at most 10,000 of each file. They are kept for 30 days after the load has ended. ${downloadDescription}`,
        }),
        params: AudiencePath,
        response: { 200: RejectsDownload },
      },
    },
    async (request, reply) => {
      const { audienceId } = await visibleAudience(records, request, request.params.audience_id);
      const pages = records.audienceRejects.read(audienceId);
      return sendRejects(request, reply, pages, `audience-${audienceId}-rejects`);
    },
  );

  app.get(
    `${address.path}/:audience_id/progress`,
    {
      onRequest: auth.audience,
      schema: {
        ...address.describe({
          operationId: 'getAudienceProgress',
          summary: 'Get progress',
          description: `How far the load of the audience has come that runs or is next to run; if none is left, the latest. ${eventsDescription}`,
        }),
        params: AudiencePath,
        response: { 200: ProgressAnswer },
      },
    },
    async (request, reply) => {
      const { audienceId } = await visibleAudience(records, request, request.params.audience_id);
      return sendProgress(request, reply, auth.audience, async () =>
        found(await records.jobProgress.ofAudience(audienceId), 'audience'),
      );
    },
  );
}
