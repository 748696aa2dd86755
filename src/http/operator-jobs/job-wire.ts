import { type Static, Type } from 'typebox';
import type { AnyJob, JobDetails } from '../../records/queue/all-jobs.ts';
import { ImportErrorSchema } from '../job-reports/import-log-wire.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';

export const Kind = Type.Enum(['import', 'dry_run', 'deletion', 'erasure', 'audience'], {
  description:
    'An erasure is the removal of devices whose owners asked for it. `audience` is the load of an audience. Clearing an audience is not a job; it cancels the loads of the audience.',
  examples: ['import'],
});

export const State = Type.Enum(['pending', 'running', 'done', 'failed', 'cancelled'], {
  examples: ['failed'],
});

const members = {
  job_id: Id('Also the import_log_id, unless the job loads an audience.'),
  partner_id: Id('The partner whose job it is.'),
  partner_name: Type.String({ examples: ['acme'] }),
  kind: Kind,
  state: State,
  path: Nullable(Type.String(), {
    description: 'The path of its files. Null for a deletion.',
    examples: ['devices.csv'],
  }),
  keys: Nullable(Type.Array(Type.String()), {
    description: 'The first keys of a deletion. Null for other jobs.',
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
    }),
    { description: 'The audience that the job loads. Null for other jobs.', examples: [null] },
  ),
  total_rows: Type.Integer({
    description:
      'Rows read, including rejected rows; 0 until the job ends. For an audience, the valid rows of the files that the job has loaded so far.',
    examples: [1200],
  }),
  rejected_rows: Type.Integer({
    description: 'Number of rejected rows.',
    examples: [3],
  }),
  unique_devices: Nullable(Type.Integer(), {
    description: 'Distinct devices in the accepted rows. Null for an audience.',
    examples: [1000],
  }),
  problem: Nullable(Type.Object({ code: Type.String(), message: Type.String() }), {
    description:
      'Why the job or one of its files failed, otherwise the first problem of its rows. Null if there is none.',
    examples: [null],
  }),
  problem_count: Type.Integer({ description: 'Number of problems.', examples: [0] }),
  attempts: Type.Integer({ description: 'Number of attempts.', examples: [1] }),
  losses: Type.Integer({ description: 'How many times its worker was lost.', examples: [0] }),
  created_at: Type.String({ ...Timestamp, description: 'When it was queued.' }),
  started_at: Nullable(Timestamp, {
    description: 'When the last attempt began. Null while it is pending.',
  }),
  ended_at: Nullable(Timestamp, { description: 'Null until it has ended.' }),
  waited_seconds: Type.Number({
    description: 'From the request to the last attempt, or until now while the job is pending.',
    examples: [0.4],
  }),
  run_seconds: Nullable(Type.Number(), {
    description: 'How long the last attempt took, or has taken. Null while it is pending.',
    examples: [12.5],
  }),
};

export const JobSchema = Type.Object(members);

export const JobDetailsSchema = Type.Object({
  ...members,
  request_id: Nullable(Type.String(), {
    description:
      'The id of the request that queued it, as in the log of the service. Null if the audit log no longer has it.',
    examples: ['req-4f2a90'],
  }),
  problems: Type.Array(ImportErrorSchema, {
    description:
      'The first 200 problems. The one that made the job or a file fail comes first. Of an ended load of an audience, it has only the problems of files that were neither cleared nor loaded again; `problem` and `problem_count` stay.',
  }),
  files: Type.Array(
    Type.Object({
      path: Type.String({ examples: ['partner-1/devices.csv'] }),
      state: Type.Enum(['pending', 'running', 'done', 'failed']),
      rows: Type.Integer({ examples: [1200] }),
      rejected_rows: Nullable(Type.Integer(), {
        description: 'Null for a file of an audience.',
        examples: [3],
      }),
    }),
    { description: 'The first 100 files.' },
  ),
});

export function jobOnTheWire(job: AnyJob): Static<typeof JobSchema> {
  const { audience, problem, createdAt, startedAt, endedAt } = job;
  return {
    job_id: job.jobId,
    partner_id: job.partnerId,
    partner_name: job.partnerName,
    kind: job.kind,
    state: job.state,
    path: job.path,
    keys: job.keys,
    key_count: job.keyCount,
    audience: audience && { audience_id: audience.audienceId, name: audience.name },
    total_rows: job.totalRows,
    rejected_rows: job.rejectedRows,
    unique_devices: job.uniqueDevices,
    problem: problem && { code: problem.code, message: problem.message },
    problem_count: job.problemCount,
    attempts: job.attempts,
    losses: job.losses,
    created_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
    waited_seconds: secondsBetween(createdAt, startedAt ?? endedAt ?? new Date()),
    run_seconds: startedAt && secondsBetween(startedAt, endedAt ?? new Date()),
  };
}

export function jobDetailsOnTheWire(job: JobDetails): Static<typeof JobDetailsSchema> {
  return {
    ...jobOnTheWire(job),
    request_id: job.requestId,
    problems: [...job.problems],
    files: job.files.map(({ path, state, rows, rejectedRows }) => ({
      path,
      state,
      rows,
      rejected_rows: rejectedRows,
    })),
  };
}

/** Not negative, even if the clock was set back. */
function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / 1000;
}
