import { bytes, count, duration, rate } from '../../parts/format.ts';
import type { Job, Progress } from './jobs.ts';

const kinds: Readonly<Record<Job['kind'], string>> = {
  import: 'Import',
  dry_run: 'Dry run',
  deletion: 'Deletion',
  audience: 'Audience load',
};

export function kindWords({ kind }: Pick<Job, 'kind'>): string {
  return kinds[kind];
}

/** The same for a log, which has a number for it. */
export function importKind({ log_type }: { readonly log_type: number }): string {
  return [kinds.import, kinds.deletion, kinds.dry_run][log_type] ?? kinds.import;
}

/** What a job is about: a path, an audience, or the keys whose data it deletes. */
export function subjectOf({ path, keys, key_count, audience }: Job): string {
  if (audience !== null) return audience.name;
  if (keys === null || key_count === null) return path ?? '';
  const [first = ''] = keys;
  return key_count === 1 ? first : `${first} and ${count(key_count - 1)} more`;
}

/** Where in its partner's line a job stands that waits. */
export function placeInLine({ queue_position, waiting_for }: Progress): string {
  if (queue_position === null || waiting_for === null) return 'Starts in a moment';
  return queue_position === 1 ? 'Next in line' : `Number ${count(queue_position)} in line`;
}

/** How much of its files a job has read; null if there is nothing to measure it by. */
export function shareRead({ bytes_read, bytes_total }: Progress): number | null {
  return bytes_total === 0 ? null : Math.min(1, bytes_read / bytes_total);
}

/** What a running job has done so far, and what is left of it. */
export function runningFigures(progress: Progress): string[] {
  const { bytes_read, bytes_total, rows_read } = progress;
  if (bytes_total === 0) return [];
  return [
    `${count(rows_read)} ${rows_read === 1 ? 'row' : 'rows'}`,
    `${bytes(bytes_read)} of ${bytes(bytes_total)}`,
    ...(bytes_read < bytes_total ? pace(progress) : ['all read, finishing']),
  ];
}

/** While it reads: what is left then is sorting and writing, of which nobody can say how long it takes. */
function pace({ rows_per_second, eta_seconds }: Progress): string[] {
  return [
    ...(rows_per_second === null ? [] : [rate(rows_per_second)]),
    ...(eta_seconds === null ? [] : [`${duration(eta_seconds)} left`]),
  ];
}

/** The counts of a job that ended. */
export function countsOf({ kind, total_rows, unique_devices }: Job): string {
  const rows = kind === 'deletion' ? 'removed' : total_rows === 1 ? 'row' : 'rows';
  const devices = unique_devices === 1 ? 'device' : 'devices';
  return [
    `${count(total_rows)} ${rows}`,
    ...(unique_devices === null ? [] : [`${count(unique_devices)} ${devices}`]),
  ].join(' · ');
}
