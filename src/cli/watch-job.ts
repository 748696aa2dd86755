import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteStream } from 'node:tty';
import { answerOf, type TributaryClient } from '../client/client.ts';
import type { paths } from '../client/openapi.ts';
import { type ImportProgress, importProgressLine } from './import-progress.ts';
import { createStatusLine } from './status-line.ts';

export type ImportLog =
  paths['/v1/marketplace/import/{import_log_id}']['get']['responses'][200]['content']['application/json'];

const lookEveryMs = 500;
const plainEveryMs = 5_000;
/** Longer than a service takes that was restarted, or one of whose processes was. */
const patienceMs = 60_000;

/** Shows how a job comes along until it has ended, and gives its log. */
export async function watchJob(
  client: TributaryClient,
  jobId: string,
  terminal: WriteStream,
): Promise<ImportLog> {
  const params = { path: { import_log_id: jobId } };
  const line = createStatusLine(terminal, plainEveryMs);
  let answeredAt = Date.now();

  /** The log if the job has ended. */
  async function look(): Promise<ImportLog | undefined> {
    const log = await answerOf(client.GET('/v1/marketplace/import/{import_log_id}', { params }));
    if (hasEnded(log)) return log;
    const progress = await answerOf(
      client.GET('/v1/marketplace/import/{import_log_id}/progress', { params }),
    );
    // As JSON, since nothing else was asked for.
    line.show(importProgressLine(progress as ImportProgress));
    answeredAt = Date.now();
    return undefined;
  }

  try {
    // Asked once without patience: an id or a key that is wrong does not get better.
    for (let ended = await look(); ; ended = await look().catch(unlessTooLong)) {
      if (ended) return ended;
      await sleep(lookEveryMs);
    }
  } finally {
    line.end();
  }

  function unlessTooLong(error: unknown): undefined {
    if (Date.now() - answeredAt > patienceMs) throw error;
    line.show('the service does not answer, trying again');
  }
}

function hasEnded({ status }: Pick<ImportLog, 'status'>): boolean {
  return status >= 2;
}
