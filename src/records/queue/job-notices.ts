import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions, type DatabaseOptions } from '../database/connection.ts';
import { jobChannel, partsNotice } from './jobs.ts';

const reconnectMs = 1_000;
/** The name of a worker's listening connection begins with this and ends with the schema. */
export const listenerPrefix = 'tributary worker ';
/** PostgreSQL cuts longer names. */
export const listenerLength = 63;

/** The id of a cancelled job, or that a job has parts to read. Undefined: a job was queued. */
export type JobNotice = number | typeof partsNotice | undefined;

/**
 * Calls `onNotice` whenever a job is queued or cancelled, or has parts to read, until aborted. Uses its
 * own connection, by whose name other workers know of this one. Also calls it after each connect, because
 * notices sent while the connection was down are lost.
 */
export async function listenForJobs(
  options: Pick<DatabaseOptions, 'url' | 'schema'>,
  onNotice: (notice: JobNotice) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = new pg.Client({
      ...connectionOptions(options),
      application_name: `${listenerPrefix}${options.schema}`.slice(0, listenerLength),
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    client.on('error', () => end());
    client.on('end', () => end());
    client.on('notification', ({ payload }) => onNotice(noticeOf(payload)));
    const onAbort = () => end();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await client.connect();
      await client.query(`listen ${jobChannel}`);
      onNotice(partsNotice);
      await ended;
    } catch {
      // The database is unavailable. Workers also poll, and log it themselves. Reconnect below.
    }
    signal.removeEventListener('abort', onAbort);
    await client.end().catch(() => {});
    await sleep(reconnectMs, undefined, { signal }).catch(() => {});
  }
}

function noticeOf(payload: string | undefined): JobNotice {
  if (payload === partsNotice) return partsNotice;
  return payload ? Number(payload) : undefined;
}
