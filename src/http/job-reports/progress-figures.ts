import { Type } from 'typebox';
import type { JobProgress } from '../../records/queue/job-progress.ts';
import { Id, Nullable } from '../server/wire.ts';

/** The progress of a job, with figures derived from its worker's last report. */

export const ProgressSchema = Type.Object({
  bytes_read: Type.Integer({
    description: 'Bytes read so far, as stored (compressed files count compressed).',
    examples: [52428800],
  }),
  bytes_total: Type.Integer({
    description: 'Size of all files of the job. 0 until the files are listed.',
    examples: [104857600],
  }),
  rows_read: Type.Integer({ examples: [1400000] }),
  rows_per_second: Nullable(Type.Integer(), {
    description: 'Average rows per second since the job began. Null until rows have been read.',
    examples: [700000],
  }),
  queue_position: Nullable(Type.Integer(), {
    description: '0 = running, 1 = the next of your jobs to run. Null after the job ends.',
    examples: [0],
  }),
  waiting_for: Nullable(Id('The id of a job.'), {
    description:
      'The id of the job directly ahead, or null. It is an import_log_id unless that job loads an audience.',
    examples: [null],
  }),
  eta_seconds: Nullable(Type.Integer(), {
    description:
      'Estimated seconds until the rest is read, at the average speed so far. 0 after the job ends, null if unknown.',
    examples: [2],
  }),
});

export function progressOnTheWire(progress: JobProgress) {
  const seconds = secondsSpent(progress);
  return {
    bytes_read: progress.bytesRead,
    bytes_total: progress.bytesTotal,
    rows_read: progress.rowsRead,
    rows_per_second: seconds === null ? null : Math.round(progress.rowsRead / seconds),
    queue_position: progress.queuePosition,
    waiting_for: progress.waitingFor,
    eta_seconds: hasEnded(progress) ? 0 : secondsLeft(progress, seconds),
  };
}

function hasEnded({ state }: JobProgress): boolean {
  return state !== 'pending' && state !== 'running';
}

/** Up to the worker's last report, which may be a while ago, and not up to now. */
function secondsSpent({ startedAt, updatedAt, rowsRead }: JobProgress): number | null {
  if (startedAt === null || rowsRead === 0) return null;
  const spent = (updatedAt.getTime() - startedAt.getTime()) / 1000;
  return spent > 0 ? spent : null;
}

function secondsLeft({ bytesRead, bytesTotal }: JobProgress, spent: number | null): number | null {
  if (spent === null || bytesRead === 0) return null;
  return Math.ceil((Math.max(0, bytesTotal - bytesRead) / bytesRead) * spent);
}
