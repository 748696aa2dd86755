import { useEffect } from 'react';
import type { ConsoleApi } from '../../api/client.ts';
import { answerOf, ProblemError } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { useLive } from '../../api/use-live.ts';
import { type ImportFile, type ImportLog, type Job, jobAddress, type Progress } from './jobs.ts';
import { isOpen } from './status.ts';

/** An import with its files, kept up to date until it ends. */
export function useImport(importLogId: string) {
  const api = useApi();
  const { data, problem, reload } = useAnswer(
    () => findImport(api, importLogId),
    [api, importLogId],
  );
  const isUnfinished = data?.log !== undefined && isOpen(data.log);
  const { data: progress } = useLive<Progress>(
    isUnfinished ? `/v1/marketplace/import/${importLogId}/progress` : undefined,
    'progress',
  );

  // Events arrive about once a second, and the files change with them.
  useEffect(() => {
    if (progress !== undefined) reload();
  }, [progress, reload]);

  return { ...data, problem, progress: isUnfinished ? progress : undefined };
}

interface FoundImport {
  readonly log?: ImportLog;
  readonly files?: readonly ImportFile[];
  readonly job?: Job | undefined;
  /** The page of the audience, if the job is the load of one. */
  readonly audienceAddress?: string;
}

async function findImport(api: ConsoleApi, importLogId: string): Promise<FoundImport> {
  const params = { path: { import_log_id: importLogId } };
  try {
    const [log, files, job] = await Promise.all([
      answerOf(api.GET('/v1/marketplace/import/{import_log_id}', { params })),
      answerOf(api.GET('/v1/marketplace/import/{import_log_id}/files', { params })),
      findJob(api, Number(importLogId)),
    ]);
    return { log, files, job };
  } catch (thrown) {
    const job = isNotFound(thrown) ? await findJob(api, Number(importLogId)) : undefined;
    if (!job?.audience) throw thrown;
    return { audienceAddress: jobAddress(job) };
  }
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof ProblemError && thrown.problem.status === 404;
}

export async function findJob(api: ConsoleApi, jobId: number): Promise<Job | undefined> {
  const query = { after: jobId + 1, limit: 1 };
  const jobs = await answerOf(api.GET('/v1/console/jobs', { params: { query } }));
  return jobs.find(({ job_id }) => job_id === jobId);
}

/** The job that another one waits for, loaded to show its name. */
export function useJobAhead(waitingFor: number | null): Job | undefined {
  const api = useApi();
  const { data } = useAnswer(
    async () => (waitingFor === null ? undefined : findJob(api, waitingFor)),
    [api, waitingFor],
  );
  return data?.job_id === waitingFor ? data : undefined;
}
