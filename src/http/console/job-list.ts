import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { RecentJob } from '../../records/queue/recent-jobs.ts';
import type { Records } from '../../records/records.ts';
import { ProgressSchema, progressOnTheWire } from '../job-reports/progress-figures.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import { linkNext } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { liveResponse, type SendLive } from '../server/live-answers.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { Id, Nullable, noControlCharacters, Timestamp } from '../server/wire.ts';

const everyMs = 1_000;
/** A filtered list may read many more jobs than it has. */
const everyMsFiltered = 5_000;
const listed = 100;

const kinds = ['import', 'dry_run', 'deletion', 'erasure', 'audience'] as const;
const states = ['pending', 'running', 'done', 'failed', 'cancelled'] as const;

const JobSchema = Type.Object({
  job_id: Id('Also the import_log_id, unless the job loads an audience.'),
  kind: Type.Enum([...kinds], {
    description: 'An erasure is the removal of devices whose owners asked the operator for it.',
  }),
  state: Type.Enum([...states], {
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
  started_at: Nullable(Timestamp, {
    description: 'When its current or last attempt started. Null if it has not started.',
  }),
  updated_at: Timestamp,
  progress: ProgressSchema,
});

const ListQuery = Type.Object(
  {
    ...pageQuery({ records: 'jobs', id: 'job_id', byDefault: listed }),
    state: Type.Optional(Type.Enum([...states], { description: 'Only jobs in this state.' })),
    kind: Type.Optional(Type.Enum([...kinds], { description: 'Only jobs of this kind.' })),
    search: Type.Optional(
      Type.String({
        maxLength: limits.nameCharacters.most,
        pattern: noControlCharacters,
        description:
          'Only jobs with this text in their path or audience, ignoring case, or with this id.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A partner's jobs of every kind, as the console lists them. */
export function registerConsoleJobs(
  app: App,
  records: Records,
  auth: Auth,
  sendLive: SendLive,
): void {
  app.get(
    '/v1/console/jobs',
    {
      ...partnerRoute(auth, 'Console', {
        operationId: 'listConsoleJobs',
        summary: 'List jobs of every kind, newest first',
        description: `Imports, dry runs, deletions and loads of audiences, each with its progress. Use \`limit\` and \`after\` to page through them. With \`state\`, \`kind\` or \`search\`, one request looks at ${limits.searchedJobs.most} jobs at most, so a page may have fewer jobs than \`limit\`, or none, although the \`Link\` header names a next page. With \`Accept: text/event-stream\` the response is a stream. It sends an event \`jobs\` with the data \`{"jobs": […], "next": …}\` at once, and again within about a second of a change, or within five seconds if the list is filtered. \`next\` is the \`after\` of the next page, or null. Comment lines keep the stream alive. It ends when the caller loses access.`,
        querystring: ListQuery,
        response: {
          200: {
            ...liveResponse(Type.Array(JobSchema), {
              description: 'The jobs.',
              events: 'Events `jobs`, each with the whole list.',
              example: 'event: jobs\ndata: {"jobs":[{"job_id":1,…}],"next":null}\n\n',
            }),
            headers: pageHeaders,
          },
        },
      }),
      preValidation: parsePage(),
      config: { isPolled: true },
    },
    async (request, reply) => {
      const {
        limit = listed,
        after = null,
        state = null,
        kind = null,
        search = '',
      } = request.query;
      const isFiltered = state !== null || kind !== null || search !== '';
      let next: number | null = null;
      const answer = await sendLive(request, reply, {
        authorize: auth.partner,
        async read() {
          const choice = { limit, after, state, kind, search: search.trim() };
          const page = await records.recentJobs.latest(request.partnerId, choice);
          next = page.next;
          return page.jobs.map(jobOnTheWire);
        },
        event: 'jobs',
        data: (jobs) => ({ jobs, next }),
        intervalMs: isFiltered ? everyMsFiltered : everyMs,
        onlyChanges: true,
      });
      if (next !== null) linkNext(request, reply, { limit, after: next });
      return answer;
    },
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
    started_at: job.startedAt?.toISOString() ?? null,
    updated_at: job.updatedAt.toISOString(),
    progress: progressOnTheWire(job),
  };
}
