import type { paths } from '../../../../src/client/openapi.ts';

/** A job of any partner. */
export type Job =
  paths['/admin/v1/jobs']['get']['responses'][200]['content']['application/json'][number];
export type JobDetails =
  paths['/admin/v1/jobs/{job_id}']['get']['responses'][200]['content']['application/json'];
