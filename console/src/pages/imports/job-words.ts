import { bytes, count, counted, duration, rate } from '../../parts/format.ts';
import type { Job, Progress } from './jobs.ts';

export const kindNames: Readonly<Record<Job['kind'], string>> = {
  import: 'Import',
  dry_run: 'Dry run',
  deletion: 'Deletion',
  erasure: 'Erasure',
  audience: 'Audience load',
};

export function kindWords({ kind }: Pick<Job, 'kind'>): string {
  return kindNames[kind];
}

/** The kind of an import log, which has a number for it. */
export function importKind({ log_type }: { readonly log_type: number }): string {
  const { import: real, deletion, dry_run, erasure } = kindNames;
  return [real, deletion, dry_run, erasure][log_type] ?? real;
}

interface Subject extends Pick<Job, 'kind' | 'path' | 'keys' | 'key_count'> {
  readonly audience: { readonly name: string } | null;
}

/** The subject of a job: a path, an audience, or the keys whose data it deletes. */
export function subjectOf({ kind, path, keys, key_count, audience }: Subject): string {
  if (kind === 'erasure') return 'Devices that must not be stored';
  if (audience !== null) return audience.name;
  if (keys === null || key_count === null) return path ?? '';
  const [first = ''] = keys;
  return key_count === 1 ? first : `${first} and ${count(key_count - 1)} more`;
}

/** The position of a waiting job in its partner's queue. */
export function queuePosition({ queue_position, waiting_for }: Progress): string {
  if (queue_position === null || waiting_for === null) return 'Starting soon';
  return queue_position === 1
    ? 'Next in the queue'
    : `Number ${count(queue_position)} in the queue`;
}

/** The share of its files that a job has read; null if the sizes are unknown. */
export function shareRead({ bytes_read, bytes_total }: Progress): number | null {
  return bytes_total === 0 ? null : Math.min(1, bytes_read / bytes_total);
}

/** What a running job has done so far, and how much is left. */
export function runningFigures(progress: Progress): string[] {
  const { bytes_read, bytes_total, rows_read } = progress;
  if (bytes_total === 0) return [];
  return [
    counted(rows_read, 'row', 'rows'),
    `${bytes(bytes_read)} of ${bytes(bytes_total)}`,
    ...(bytes_read < bytes_total ? pace(progress) : ['finishing']),
  ];
}

/** Only while the job reads. Nothing predicts how long sorting and writing take afterwards. */
function pace({ rows_per_second, eta_seconds }: Progress): string[] {
  return [
    ...(rows_per_second === null ? [] : [rate(rows_per_second)]),
    ...(eta_seconds === null ? [] : [`${duration(eta_seconds)} left`]),
  ];
}

/** The counts of a finished job. */
export function countsOf({ kind, total_rows, unique_devices }: Job): string {
  return [
    kind === 'deletion' || kind === 'erasure'
      ? `${count(total_rows)} removed`
      : counted(total_rows, 'row', 'rows'),
    ...(unique_devices === null ? [] : [counted(unique_devices, 'device', 'devices')]),
  ].join(' · ');
}

/** For how long a job has run, or ran in its last attempt; null if it has not started. */
export function secondsRun(
  { state, started_at, updated_at }: Pick<Job, 'state' | 'started_at' | 'updated_at'>,
  now: Date,
): number | null {
  if (started_at === null) return null;
  const end = state === 'running' ? now : new Date(updated_at);
  return Math.max(0, (end.getTime() - Date.parse(started_at)) / 1_000);
}
