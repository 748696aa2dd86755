import type { Job } from '../imports/jobs.ts';
import type { AudienceDetails } from './audience.ts';

type Failing = Pick<AudienceDetails, 'status'> & {
  readonly file: readonly Pick<AudienceDetails['file'][number], 's3_path' | 'status'>[];
};

/**
 * What to append to load everything that failed, below the prefix: the path of the latest load if that
 * failed, and failed files of earlier loads. Files that are loaded and have not changed are skipped.
 */
export function pathsToLoadAgain(
  { status, file }: Failing,
  latestLoad: Pick<Job, 'state' | 'path'> | undefined,
  prefix: string,
): string[] {
  if (status !== 3) return [];
  const didFail = latestLoad?.state === 'failed' || latestLoad?.state === 'cancelled';
  const latest = didFail ? latestLoad.path : null;
  const isCovered = (path: string) => latest !== null && path.startsWith(latest);
  const failed = file.filter((each) => each.status === 3).map(({ s3_path }) => s3_path);
  return [...(latest === null ? [] : [latest]), ...failed.filter((path) => !isCovered(path))].map(
    (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path),
  );
}
