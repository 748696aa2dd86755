import type { paths } from '../../client/openapi.ts';
import { count, duration } from './print.ts';
import { bar } from './progress-bar.ts';

export type JobProgress =
  paths['/v1/marketplace/import/{import_log_id}/progress']['get']['responses'][200]['content']['application/json'];

/** How a job stands, on one line: what it waits for, or how far it is. */
export function jobProgressLine(progress: JobProgress): string {
  const { queue_position: position, bytes_read, bytes_total } = progress;
  if (position !== null && position > 0) return waitingLine(position, progress.waiting_for);
  // What it reads is not known yet, or it reads nothing, as a deletion does.
  if (bytes_total === 0) return 'running';
  return `${bar(bytes_read, bytes_total)}  ${figures(progress)}`;
}

function waitingLine(position: number, waitingFor: number | null): string {
  if (waitingFor === null) return 'waits for its turn';
  const ahead = position === 1 ? '' : `, number ${count(position)} in line`;
  return `waits behind job ${waitingFor}${ahead}`;
}

function figures({ rows_read, rows_per_second, eta_seconds }: JobProgress): string {
  const rate = rows_per_second === null ? '' : `, ${count(rows_per_second)} rows/s`;
  const left = eta_seconds === null ? '' : `, ${duration(eta_seconds)} left`;
  return `${count(rows_read)} rows${rate}${left}`;
}
