import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { translateError } from './server-faults.ts';

export interface ServerAddress {
  /** http:// or https://, host and port. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

export interface QueryOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly settings?: Settings;
}

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** One ClickHouse server. Every query has a timeout, on the server as well. */
export interface Server extends AsyncDisposable {
  /** Host and port, for messages. */
  readonly name: string;
  /** Returns the rows of a short result, each as its cells. */
  select(sql: string, options?: QueryOptions): Promise<string[][]>;
  /** Runs a select that names a binary format. Waits after each chunk of the result. */
  read(
    sql: string,
    take: (bytes: Uint8Array) => Promise<void>,
    options?: QueryOptions,
  ): Promise<void>;
  execute(sql: string, options?: QueryOptions): Promise<void>;
  /** Runs an insert that names a format, with the bytes in that format. */
  insert(sql: string, chunks: Chunks, options?: QueryOptions): Promise<void>;
}

const defaultTimeoutMs = 10_000;
/** For queries over many devices. */
export const longTimeoutMs = 60 * 60 * 1000;
const killTimeoutMs = 2_000;
/** How often the server is pinged during a long query. */
const pingEveryMs = 5_000;

type Settings = Readonly<Record<string, number | string>>;

/**
 * Lists of runs make queries long. Servers refuse unknown settings, so these must be known to every
 * version.
 */
const longQueries: Settings = {
  max_query_size: 256 * 1024 * 1024,
  max_ast_elements: 100_000_000,
  max_expanded_ast_elements: 100_000_000,
};

/** Overrides the user's profile. A result must be complete or an error, and contain only rows. */
const completeResults: Settings = {
  distinct_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  timeout_overflow_mode: 'throw',
  empty_result_for_aggregation_by_empty_set: 0,
  extremes: 0,
  // A replicated table would drop a block that equals an earlier one.
  insert_deduplicate: 0,
};

export function createServer({ url, username, password }: ServerAddress, database: string): Server {
  const name = new URL(url).host;
  const client = createClient({
    url,
    username,
    password,
    database,
    request_timeout: longTimeoutMs + defaultTimeoutMs,
    // Lanes already limit the number of queries; none may wait for another's connection.
    max_open_connections: Number.POSITIVE_INFINITY,
    // The errors that it throws contain everything it would log.
    log: { level: ClickHouseLogLevel.OFF },
  });

  async function send<T>(
    { signal, timeoutMs = defaultTimeoutMs, settings }: QueryOptions,
    request: (params: RequestParams) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const queryId = randomUUID();
    const timeout = AbortSignal.timeout(timeoutMs);
    const unreachable = new AbortController();
    const stopped = AbortSignal.any([timeout, unreachable.signal, ...(signal ? [signal] : [])]);
    const watch = timeoutMs > defaultTimeoutMs ? watchServer(unreachable) : undefined;
    try {
      return await request({
        query_id: queryId,
        abort_signal: stopped,
        clickhouse_settings: {
          ...longQueries,
          ...completeResults,
          ...settings,
          max_execution_time: Math.ceil(timeoutMs / 1000),
          // Otherwise a late error would become part of a result that has begun.
          wait_end_of_query: 1,
        } as ClickHouseSettings,
      });
    } catch (error) {
      if (stopped.aborted) await kill(queryId);
      signal?.throwIfAborted();
      const reason = stopped.aborted ? timeoutError(timeoutMs) : error;
      throw unreachable.signal.aborted ? unreachable.signal.reason : translateError(reason, name);
    } finally {
      clearInterval(watch);
    }
  }

  /**
   * A frozen or disconnected server closes no connection; it just stays silent. The ping runs no
   * query, because a healthy but busy server may refuse one.
   */
  function watchServer(unreachable: AbortController): NodeJS.Timeout {
    return setInterval(async () => {
      const timeout = AbortSignal.timeout(pingEveryMs - 1);
      const answer = await client.ping({ select: false, abort_signal: timeout });
      if (answer.success) return;
      const reason = timeout.aborted ? timeoutError(pingEveryMs) : answer.error;
      unreachable.abort(translateError(reason, name));
    }, pingEveryMs);
  }

  /** A closed connection stops no query on an old server, and no insert on a new one. */
  async function kill(queryId: string): Promise<void> {
    await client
      .command({
        query: `kill query where query_id = '${queryId}'`,
        abort_signal: AbortSignal.timeout(killTimeoutMs),
      })
      // The server is unreachable, or the query has ended.
      .catch(() => {});
  }

  return {
    name,
    async select(sql, options = {}) {
      const text = await send(options, async (params) => {
        const answer = await client.query({ ...params, query: sql, format: 'TabSeparated' });
        return answer.text();
      });
      const lines = text.split('\n').slice(0, -1);
      return lines.map((line) => line.split('\t'));
    },
    async read(sql, take, options = {}) {
      // Not an error of the server, so it is not translated.
      let failure: { readonly cause: unknown } | undefined;
      await send(options, async (params) => {
        const { stream } = await client.exec({ ...params, query: sql });
        for await (const bytes of stream as AsyncIterable<Uint8Array>) {
          try {
            await take(bytes);
          } catch (cause) {
            failure = { cause };
            break;
          }
        }
      });
      if (failure) throw failure.cause;
    },
    async execute(sql, options = {}) {
      await send(options, (params) => client.command({ ...params, query: sql }));
    },
    async insert(sql, chunks, options = {}) {
      await send(options, async (params) => {
        const { stream } = await client.exec({
          ...params,
          query: sql,
          values: Readable.from(chunks, { objectMode: false }),
        });
        await stream.toArray();
      });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function timeoutError(afterMs: number): Error {
  return new Error(`timed out after ${afterMs} ms`);
}

interface RequestParams {
  readonly query_id: string;
  readonly abort_signal: AbortSignal;
  readonly clickhouse_settings: ClickHouseSettings;
}
