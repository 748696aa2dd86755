import type { Records } from '../../../records/records.ts';
import type { QueryOptions, Server, ServerAddress } from './server.ts';
import type { ClusterDatabase } from './shard-identity.ts';

export interface ClusterAddress extends ServerAddress, ClusterDatabase {
  /** Other servers to ask for the list of servers if the first does not answer. */
  readonly otherUrls?: readonly string[];
}

export type ClusterRecords = Pick<Records, 'exclusively' | 'installation' | 'places'>;

/**
 * One server of each shard. They are chosen when they are first needed and stay the same, because rows of a
 * load are only on the servers that received them.
 */
export interface Cluster {
  /** In the order of the shards' numbers. */
  shards(): Promise<readonly Server[]>;
  /** Runs work on all shards at once. An unreachable shard is an error; none is ever skipped. */
  onEach<T>(work: (shard: Server, position: number) => Promise<T>): Promise<T[]>;
  /** Adds up the counts of all shards by key. */
  sums(sql: string, options: QueryOptions): Promise<Map<string, number>>;
  /**
   * As `sums`, after the other replicas in use count the same. So the counted rows survive the loss of a
   * server. Count the rows of a batch with it before the manifest lists them.
   */
  sumsOfCopies(sql: string, options: QueryOptions): Promise<Map<string, number>>;
  /**
   * Whether the servers hold all rows that are expected, by key. Remembers keys whose rows they hold. True
   * without replicas, where a server cannot be behind.
   */
  holds(expected: ReadonlyMap<string, number>, count: CountRows): Promise<boolean>;
  /**
   * The error of a server that lacks rows, after finding out which replicas do. They are not used until they
   * have caught up.
   */
  findBehind(keys: readonly string[], count: CountRows): Promise<Error>;
  /** Throws if a server was restarted since it was chosen: it may lack rows until it has fetched them again. */
  checkSame(): Promise<void>;
}

/** Counts the rows of the keys on a server, by key. */
export type CountRows = (server: Server, keys: readonly string[]) => Promise<string[][]>;

/** A cluster whose shards have one server each. */
export function clusterOf(servers: () => Promise<readonly Server[]>): Cluster {
  async function onEach<T>(work: (shard: Server, position: number) => Promise<T>): Promise<T[]> {
    return await allSettled((await servers()).map(work));
  }

  async function sums(sql: string, options: QueryOptions): Promise<Map<string, number>> {
    return addUp(await onEach((shard) => shard.select(sql, options)));
  }

  return {
    shards: servers,
    onEach,
    sums,
    sumsOfCopies: sums,
    holds: async () => true,
    findBehind: async () => new Error('no server is behind'),
    checkSame: async () => {},
  };
}

/** Waits for all even after an error, so no work overlaps the caller's next step. */
export async function allSettled<T>(works: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(works);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** Adds up counts by key. */
export function addUp(counts: readonly string[][][]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key = '', count] of counts.flat()) {
    sums.set(key, (sums.get(key) ?? 0) + Number(count));
  }
  return sums;
}
