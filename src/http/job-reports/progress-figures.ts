import { Type } from 'typebox';
import type { JobProgress } from '../../records/queue/job-progress.ts';
import { Id, Nullable } from '../server/wire.ts';

/** How far a job has come, with the figures that follow from what its worker noted. */

export const ProgressSchema = Type.Object({
  bytes_read: Type.Integer({
    description: 'Of the files as they are stored.',
    examples: [52428800],
  }),
  bytes_total: Type.Integer({
    description: 'Of all files of the job; 0 until they have been looked up.',
    examples: [104857600],
  }),
  rows_read: Type.Integer({ examples: [1400000] }),
  rows_per_second: Nullable(Type.Integer(), {
    description: 'Since the job began; null before there is anything to tell.',
    examples: [700000],
  }),
  queue_position: Nullable(Type.Integer(), {
    description: '0 while it runs, 1 if it is the next of your jobs; null once it has ended.',
    examples: [0],
  }),
  waiting_for: Nullable(Id('A job.'), {
    description:
      'The job directly ahead of it, if there is one: its import_log_id, unless it loads an audience.',
    examples: [null],
  }),
  eta_seconds: Nullable(Type.Integer(), {
    description:
      'How long reading the rest takes at the pace so far; 0 once it has ended, null if unknown.',
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

/** Until the worker noted what we know, not until now: it may have noted it a while ago. */
function secondsSpent({ startedAt, updatedAt, rowsRead }: JobProgress): number | null {
  if (startedAt === null || rowsRead === 0) return null;
  const spent = (updatedAt.getTime() - startedAt.getTime()) / 1000;
  return spent > 0 ? spent : null;
}

function secondsLeft({ bytesRead, bytesTotal }: JobProgress, spent: number | null): number | null {
  if (spent === null || bytesRead === 0) return null;
  return Math.ceil((Math.max(0, bytesTotal - bytesRead) / bytesRead) * spent);
}
