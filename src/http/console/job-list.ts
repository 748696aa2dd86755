import { Type } from 'typebox';
import type { RecentJob } from '../../records/queue/recent-jobs.ts';
import type { Records } from '../../records/records.ts';
import { ProgressSchema, progressOnTheWire } from '../job-reports/progress-figures.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { liveResponse, type SendLive } from '../server/live-answers.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';

const everyMs = 1_000;
const listed = 100;

const JobSchema = Type.Object({
  job_id: Id('Also the import_log_id, unless the job loads an audience.'),
  kind: Type.Enum(['import', 'dry_run', 'deletion', 'erasure', 'audience'], {
    description: 'An erasure is the removal of devices whose owners asked the operator for it.',
  }),
  state: Type.Enum(['pending', 'running', 'done', 'failed', 'cancelled'], {
    description: 'Cancelled means that the audience was cleared before its load ended.',
  }),
  path: Nullable(Type.String(), {
    description:
      'The path of its files: as submitted, or with your prefix for an audience. Null for a deletion.',
    examples: ['devices.csv'],
  }),
  keys: Nullable(Type.Array(Type.String()), {
    description: 'The first keys of a deletion; the import log lists all. Null for other jobs.',
    examples: [null],
  }),
  key_count: Nullable(Type.Integer(), {
    description: 'Number of keys of a deletion. Null for other jobs.',
    examples: [null],
  }),
  audience: Nullable(
    Type.Object({
      audience_id: Id('The audience.'),
      name: Type.String({ examples: ['Summer sale'] }),
      default_warehouse_segment_id: Id('Identifies its composition report in the console.'),
    }),
    { description: 'The audience that the job loads. Null for other jobs.' },
  ),
  total_rows: Type.Integer({
    description:
      'As in the import log; 0 until the job ends. For an audience, the valid rows of the files that this job has loaded so far.',
    examples: [1200],
  }),
  unique_devices: Nullable(Type.Integer(), {
    description: 'As in the import log. Null for an audience, which has its own counts.',
    examples: [1000],
  }),
  problem: Nullable(Type.Object({ code: Type.String(), message: Type.String() }), {
    description:
      'Why the job or one of its files failed, otherwise the first problem of its rows. Null if there is none.',
    examples: [null],
  }),
  problem_count: Type.Integer({
    description:
      'Number of problems, one per kind and file, in the first 1,000 files of an audience that have any.',
    examples: [0],
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  progress: ProgressSchema,
});

/** A partner's jobs of every kind, as the console lists them. */
export function registerConsoleJobs(
  app: App,
  records: Records,
  auth: Auth,
  sendLive: SendLive,
): void {
  app.get(
    '/v1/console/jobs',
    partnerRoute(auth, 'Console', {
      operationId: 'listConsoleJobs',
      summary: `List the last ${listed} jobs, newest first`,
      description:
        'Imports, dry runs, deletions and loads of audiences, each with its progress. With `Accept: text/event-stream` the response is a stream. It sends an event `jobs` with the data `{"jobs": […]}` at once, and again within about a second of a change. Comment lines keep the stream alive. It ends when the caller loses access.',
      response: {
        200: liveResponse(Type.Array(JobSchema), {
          description: 'The jobs.',
          events: 'Events `jobs`, each with the whole list.',
          example: 'event: jobs\ndata: {"jobs":[{"job_id":1,…}]}\n\n',
        }),
      },
    }),
    async (request, reply) =>
      sendLive(request, reply, {
        authorize: auth.partner,
        async read() {
          const jobs = await records.recentJobs.latest(request.partnerId, listed);
          return jobs.map(jobOnTheWire);
        },
        event: 'jobs',
        data: (jobs) => ({ jobs }),
        intervalMs: everyMs,
        onlyChanges: true,
      }),
  );
}

function jobOnTheWire(job: RecentJob) {
  const { audience, problem } = job;
  return {
    job_id: job.jobId,
    kind: job.kind,
    state: job.state,
    path: job.path,
    keys: job.keys,
    key_count: job.keyCount,
    audience: audience && {
      audience_id: audience.audienceId,
      name: audience.name,
      default_warehouse_segment_id: audience.segmentId,
    },
    total_rows: job.totalRows,
    unique_devices: job.uniqueDevices,
    problem: problem && { code: problem.code, message: problem.message },
    problem_count: job.problemCount,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
    progress: progressOnTheWire(job),
  };
}
