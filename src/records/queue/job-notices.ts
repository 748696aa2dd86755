import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions, type DatabaseOptions } from '../database/connection.ts';
import { jobChannel } from './jobs.ts';

const reconnectMs = 1_000;

/**
 * Calls `onNotice` whenever a job is queued or cancelled, with the id of a cancelled job, until
 * aborted. Uses its own connection. Also calls it after each connect, because notices sent while
 * the connection was down are lost.
 */
export async function listenForJobs(
  options: Pick<DatabaseOptions, 'url' | 'schema'>,
  onNotice: (cancelledJob?: number) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = new pg.Client(connectionOptions(options));
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    client.on('error', () => end());
    client.on('end', () => end());
    client.on('notification', ({ payload }) => (payload ? onNotice(Number(payload)) : onNotice()));
    const onAbort = () => end();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await client.connect();
      await client.query(`listen ${jobChannel}`);
      onNotice();
      await ended;
    } catch {
      // The database is unavailable. Workers also poll, and log it themselves. Reconnect below.
    }
    signal.removeEventListener('abort', onAbort);
    await client.end().catch(() => {});
    await sleep(reconnectMs, undefined, { signal }).catch(() => {});
  }
}
