import { useNow } from '../../parts/clock.tsx';
import { duration } from '../../parts/format.ts';
import { secondsRun } from './job-words.ts';
import type { Job } from './jobs.ts';

/** How long a job has run so far, or ran. */
export function JobDuration({ job }: { readonly job: Job | undefined }) {
  const now = useNow();
  const seconds = job === undefined ? null : secondsRun(job, now);
  return seconds === null ? <span className="muted">–</span> : duration(seconds);
}
