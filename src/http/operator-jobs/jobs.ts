import { type Static, Type } from 'typebox';
import { type JobFilter, jobCursorPattern } from '../../records/queue/all-jobs.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, parsePage, textPageQuery } from '../lists/page-query.ts';
import { linkNext } from '../lists/send-list.ts';
import { TimeParameter, timeOf } from '../lists/time-query.ts';
import { operatorRoute } from '../operator/operator-route.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, Id, PathId, parseId } from '../server/wire.ts';
import {
  JobDetailsSchema,
  JobSchema,
  jobDetailsOnTheWire,
  jobOnTheWire,
  Kind,
  State,
} from './job-wire.ts';

const jobsPath = '/admin/v1/jobs';
const byDefault = 100;

const { limit, after } = textPageQuery(
  { records: 'jobs', id: 'place in the list', byDefault },
  jobCursorPattern,
);

const JobsQuery = Type.Object(
  {
    partner_id: Type.Optional(Id('Only jobs of this partner.')),
    kind: Type.Optional(Kind),
    state: Type.Optional(State),
    since: TimeParameter('Only jobs queued at or after this time.'),
    until: TimeParameter('Only jobs queued before this time.'),
    order: Type.Optional(
      Type.Enum(['newest', 'failures'], {
        description:
          '`newest`: newest first, which is the default. `failures`: failed jobs first, then the others, both newest first.',
        examples: ['failures'],
      }),
    ),
    limit,
    after,
  },
  { additionalProperties: false },
);

/** The jobs of all partners. */
export function registerAdminJobs(app: App, records: Records, auth: Auth): void {
  app.get(
    jobsPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listJobs',
        summary: 'Jobs of all partners',
        description:
          'Imports, dry runs, deletions, erasures and loads of audiences. Jobs are deleted `TRIBUTARY_JOB_DAYS` after they end. One request looks at a limited number of jobs, so a page may have fewer jobs than `limit`, or none, although the `Link` header names a next page.',
        querystring: JobsQuery,
        response: { 200: Type.Array(JobSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage('partner_id'),
    },
    async (request, reply) => {
      const { limit = byDefault, after = null } = request.query;
      const page = await records.allJobs.list(filterOf(request.query), { limit, after });
      if (page.next !== null) linkNext(request, reply, { limit, after: page.next });
      return page.jobs.map(jobOnTheWire);
    },
  );

  app.get(
    `${jobsPath}/:job_id`,
    operatorRoute(auth, {
      operationId: 'getJob',
      summary: 'Get a job',
      description: 'A job of any partner, with its problems and files.',
      params: Type.Object({ job_id: PathId('The job.') }),
      response: { 200: JobDetailsSchema },
    }),
    async (request) => {
      const jobId = parseId(request.params.job_id, 'job');
      return jobDetailsOnTheWire(found(await records.allJobs.find(jobId), 'job'));
    },
  );
}

function filterOf(query: Static<typeof JobsQuery>): JobFilter {
  const { partner_id, kind, state, since, until, order } = query;
  return {
    partnerId: partner_id,
    kind,
    state,
    since: timeOf(since),
    until: timeOf(until),
    failuresFirst: order === 'failures',
  };
}
