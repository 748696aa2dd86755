import type { paths } from '../../../../src/client/openapi.ts';
import type { JobWire } from '../../api/wire.ts';

/** The log of one import, dry run or deletion. */
export type ImportLog =
  paths['/v1/marketplace/import/{import_log_id}']['get']['responses'][200]['content']['application/json'];

/** One file of an import. */
export type ImportFile =
  paths['/v1/marketplace/import/{import_log_id}/files']['get']['responses'][200]['content']['application/json'][number];

/** One of the partner's last jobs. */
export type Job = JobWire;
export type Progress = Job['progress'];

export function importAddress(importLogId: number): string {
  return `/console/imports/${importLogId}`;
}

export function audienceAddress(audienceId: number): string {
  return `/console/audiences/${audienceId}`;
}

/** The page of a job. The page of an audience shows its loads. */
export function jobAddress({ job_id, audience }: Job): string {
  return audience === null ? importAddress(job_id) : audienceAddress(audience.audience_id);
}
