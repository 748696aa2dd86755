import type { paths } from '../../client/openapi.ts';
import { count, duration } from './print.ts';
import { bar } from './progress-bar.ts';

export type JobProgressAnswer =
  paths['/v1/marketplace/import/{import_log_id}/progress']['get']['responses'][200]['content']['application/json'];

/** One line about a job: what it waits for, or its progress. */
export function jobProgressLine(progress: JobProgressAnswer): string {
  const { queue_position: position, bytes_read, bytes_total } = progress;
  if (position !== null && position > 0) return waitingLine(position, progress.waiting_for);
  // The size is not known yet, or the job reads no files, like a deletion.
  if (bytes_total === 0) return 'running';
  return `${bar(bytes_read, bytes_total)}  ${figures(progress)}`;
}

function waitingLine(position: number, waitingFor: number | null): string {
  if (waitingFor === null) return 'waiting to run';
  const ahead = position === 1 ? '' : `, position ${count(position)} in the queue`;
  return `waiting for job ${waitingFor}${ahead}`;
}

function figures({ rows_read, rows_per_second, eta_seconds }: JobProgressAnswer): string {
  const rate = rows_per_second === null ? '' : `, ${count(rows_per_second)} rows/s`;
  const left = eta_seconds === null ? '' : `, ${duration(eta_seconds)} left`;
  return `${count(rows_read)} rows${rate}${left}`;
}
