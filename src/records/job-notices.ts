import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions, type DatabaseOptions } from './database.ts';
import { jobChannel } from './jobs.ts';

const reconnectMs = 1_000;

/**
 * Calls `onNotice` whenever a job was queued, over a connection of its own, until aborted.
 * Also after each connect, since what happened while it was down went unheard.
 */
export async function listenForJobs(
  options: Pick<DatabaseOptions, 'url' | 'schema'>,
  onNotice: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = new pg.Client(connectionOptions(options));
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    client.on('error', () => end());
    client.on('end', () => end());
    client.on('notification', onNotice);
    const onAbort = () => end();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await client.connect();
      await client.query(`listen ${jobChannel}`);
      onNotice();
      await ended;
    } catch {
      // The database is away. Workers poll besides, and say so themselves; try again in a while.
    }
    signal.removeEventListener('abort', onAbort);
    await client.end().catch(() => {});
    await sleep(reconnectMs, undefined, { signal }).catch(() => {});
  }
}
