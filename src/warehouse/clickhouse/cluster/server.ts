import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { translated } from './server-faults.ts';

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

/** One ClickHouse server. Whatever it is asked ends in time, there too. */
export interface Server extends AsyncDisposable {
  /** Host and port, for people. */
  readonly name: string;
  /** The rows of an answer that is short, each as its cells. */
  select(sql: string, options?: QueryOptions): Promise<string[][]>;
  execute(sql: string, options?: QueryOptions): Promise<void>;
  /** An insert that ends in a format, and the bytes in that format. */
  insert(sql: string, chunks: Iterable<Uint8Array>, options?: QueryOptions): Promise<void>;
}

const usualTimeoutMs = 10_000;
/** Of what works on many devices at once. */
export const longTimeoutMs = 60 * 60 * 1000;
const killTimeoutMs = 2_000;
/** During a long query the server is asked now and then whether it is still there. */
const askEveryMs = 10_000;

type Settings = Readonly<Record<string, number | string>>;

/** Lists of runs make long queries. Every server knows these settings; one it does not know it refuses. */
const longQueries: Settings = {
  max_query_size: 256 * 1024 * 1024,
  max_ast_elements: 100_000_000,
  max_expanded_ast_elements: 100_000_000,
};

/** Whatever the user's profile says, an answer is whole or an error, and rows are all there is in it. */
const wholeAnswers: Settings = {
  distinct_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  timeout_overflow_mode: 'throw',
  empty_result_for_aggregation_by_empty_set: 0,
  extremes: 0,
};

export function createServer({ url, username, password }: ServerAddress, database: string): Server {
  const name = new URL(url).host;
  const client = createClient({
    url,
    username,
    password,
    database,
    request_timeout: longTimeoutMs + usualTimeoutMs,
    // Lanes limit how many queries there are; none may wait unseen for the connection of another.
    max_open_connections: Number.POSITIVE_INFINITY,
    // What it would print is in the errors that it throws.
    log: { level: ClickHouseLogLevel.OFF },
  });

  async function ask<T>(
    { signal, timeoutMs = usualTimeoutMs, settings }: QueryOptions,
    request: (params: RequestParams) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const queryId = randomUUID();
    const late = AbortSignal.timeout(timeoutMs);
    const silent = new AbortController();
    const stopped = AbortSignal.any([late, silent.signal, ...(signal ? [signal] : [])]);
    const watch = timeoutMs > usualTimeoutMs ? watchServer(silent) : undefined;
    try {
      return await request({
        query_id: queryId,
        abort_signal: stopped,
        clickhouse_settings: {
          ...longQueries,
          ...wholeAnswers,
          ...settings,
          max_execution_time: Math.ceil(timeoutMs / 1000),
          // Or an error that comes late would be part of an answer that began well.
          wait_end_of_query: 1,
        } as ClickHouseSettings,
      });
    } catch (error) {
      if (stopped.aborted) await kill(queryId);
      signal?.throwIfAborted();
      const reason = stopped.aborted ? noAnswer(timeoutMs) : error;
      throw silent.signal.aborted ? silent.signal.reason : translated(reason, name);
    } finally {
      clearInterval(watch);
    }
  }

  /**
   * A server that has stopped, or is cut off, breaks no connection: nothing comes, that is all. No
   * query is asked, for one that is busy may refuse it and be well.
   */
  function watchServer(silent: AbortController): NodeJS.Timeout {
    return setInterval(async () => {
      const late = AbortSignal.timeout(askEveryMs - 1);
      const answer = await client.ping({ select: false, abort_signal: late });
      if (answer.success) return;
      silent.abort(translated(late.aborted ? noAnswer(askEveryMs) : answer.error, name));
    }, askEveryMs);
  }

  /** That the connection is gone stops no query on an old server, and no insert on a new one. */
  async function kill(queryId: string): Promise<void> {
    await client
      .command({
        query: `kill query where query_id = '${queryId}'`,
        abort_signal: AbortSignal.timeout(killTimeoutMs),
      })
      // Then it is away, or the query has ended.
      .catch(() => {});
  }

  return {
    name,
    async select(sql, options = {}) {
      const text = await ask(options, async (params) => {
        const answer = await client.query({ ...params, query: sql, format: 'TabSeparated' });
        return answer.text();
      });
      const lines = text.split('\n').slice(0, -1);
      return lines.map((line) => line.split('\t'));
    },
    async execute(sql, options = {}) {
      await ask(options, (params) => client.command({ ...params, query: sql }));
    },
    async insert(sql, chunks, options = {}) {
      await ask(options, async (params) => {
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

function noAnswer(afterMs: number): Error {
  return new Error(`no answer in ${afterMs} ms`);
}

interface RequestParams {
  readonly query_id: string;
  readonly abort_signal: AbortSignal;
  readonly clickhouse_settings: ClickHouseSettings;
}
