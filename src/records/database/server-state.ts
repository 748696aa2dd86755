import { sql } from 'kysely';
import type { Database } from './connection.ts';

export interface ServerState {
  readonly majorVersion: number;
  readonly connections: number;
  readonly maxConnections: number;
  /** How far the clock of the database is ahead of this machine's. Negative if it is behind. */
  readonly clockAheadSeconds: number;
}

export async function readServerState(db: Database): Promise<ServerState> {
  // Once before, so that the time of the statement does not include that of connecting.
  await sql`select 1`.execute(db);
  const begun = Date.now();
  const { rows } = await sql<{ epoch: number; version: number; used: number; max: number }>`
    select extract(epoch from clock_timestamp())::float8 as epoch,
      current_setting('server_version_num')::integer as version,
      current_setting('max_connections')::integer as max,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as used
  `.execute(db);
  const ours = (begun + Date.now()) / 2 / 1000;
  const { epoch, version, used, max } = rows[0]!;
  return {
    majorVersion: Math.floor(version / 10_000),
    connections: used,
    maxConnections: max,
    clockAheadSeconds: epoch - ours,
  };
}
