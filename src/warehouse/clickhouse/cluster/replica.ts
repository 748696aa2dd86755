import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, TributaryError } from '../../../domain/errors.ts';
import type { ReplicaReport } from '../../port.ts';
import type { QueryOptions, Server } from './server.ts';
import { isServerLost } from './server-faults.ts';

/** One server of a shard, and what the last answers said about it. */
export interface Replica {
  /** The number of its shard, from 0. */
  readonly shard: number;
  readonly server: Server;
  state: ReplicaReport['state'];
  /** Why it is not up. */
  reason: string;
  /** It is left alone until then, on the clock of `performance.now()`. */
  retryAt: number;
}

/** The work may succeed on other replicas of the shards. */
export class ReplicaFault extends TributaryError {
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options);
  }
}

/** How long a server that failed is left alone. */
const retryAfterMs = 3_000;
/** A server that takes longer to say that it works is not used, if the shard has another. */
export const quickMs = 3_000;

/** The server, which is marked as down when it fails to answer or cannot be written to. */
export function watchedReplica(server: Server, shard: number): Replica {
  async function watch<T>(options: QueryOptions | undefined, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!options?.signal?.aborted && isServerLost(error)) setAside(replica, 'down', error);
      throw error;
    }
  }

  const replica: Replica = {
    shard,
    server: {
      name: server.name,
      select: (sql, options) => watch(options, server.select(sql, options)),
      execute: (sql, options) => watch(options, server.execute(sql, options)),
      insert: (sql, chunks, options) => watch(options, server.insert(sql, chunks, options)),
      read: (sql, take, options) => watch(options, server.read(sql, take, options)),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    },
    state: 'up',
    reason: '',
    retryAt: 0,
  };
  return replica;
}

export function setAside(replica: Replica, state: 'behind' | 'down', reason: unknown): void {
  replica.state = state;
  replica.reason = messageOf(reason);
  replica.retryAt = performance.now() + retryAfterMs;
}

export function reasonsOf(replicas: readonly Replica[]): string {
  return replicas
    .filter(({ state }) => state !== 'up')
    .map(({ server, state, reason }) => `${server.name} is ${state}: ${reason}`)
    .join('. ');
}

export interface Probe {
  readonly replica: Replica;
  readonly uptimeMs: number;
  /** It lost its connection to ZooKeeper. It can be read, but not written to. */
  readonly isReadOnly: boolean;
}

/** Asks a server whether it works, for how long it has run, and whether it can be written to. */
export async function probe(replica: Replica, timeoutMs?: number): Promise<Probe> {
  const rows = await replica.server.select(
    `select uptime(), is_readonly or is_session_expired from system.replicas
    where database = currentDatabase() and table = 'run_device'`,
    timeoutMs === undefined ? {} : { timeoutMs },
  );
  const [row] = rows;
  if (row?.[0] === '0') {
    // In whole seconds, it is too young to tell whether it is restarted later.
    await sleep(1_000);
    return await probe(replica, timeoutMs);
  }
  if (!row) throw new ReplicaFault(`${replica.server.name} has no replicated tables`);
  return { replica, uptimeMs: Number(row[0]) * 1000, isReadOnly: row[1] === '1' };
}

/**
 * Whether the server has fetched all inserts that ZooKeeper lists. Only decides whether to wait for its copy:
 * what it holds is checked by rows.
 */
export async function hasCaughtUp({ server }: Replica): Promise<boolean> {
  const [row] = await server.select(
    `select max(is_readonly or is_session_expired), sum(inserts_in_queue),
      sum(log_max_index > log_pointer) from system.replicas where database = currentDatabase()`,
  );
  return row?.every((value) => value === '0') ?? false;
}
