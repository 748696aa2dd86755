import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import { pathOf } from '../server/wire.ts';
import { fitsOneSlice, jsonArray, streamJson } from './json-stream.ts';
import { type CountLargeResponse, createCountLargeResponse } from './large-responses.ts';

/** A list that clients read in pages, or as a whole. */
interface List<T, Row, Key extends number | string> {
  read(page: Page<Key>): Promise<readonly T[]>;
  /** A record as the response shows it. */
  row(record: T): Row;
  /** The id of a record, which is the `after` of the records that follow it. */
  key(record: T): Key;
  /** How many records a request without `limit` gets. Null: all, in a stream. */
  readonly byDefault: number | null;
}

interface ListQuery<Key> {
  readonly limit?: number;
  readonly after?: Key;
}

/**
 * Responds with a page and a link to the next one, or with the whole list. A whole list is read page
 * by page while it is sent, so it takes the memory of one page. It is not one snapshot: a record that
 * is created or removed meanwhile may be in it or not.
 */
export type SendList = <T, Row, Key extends number | string = number>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<T, Row, Key>,
) => Promise<Row[]>;

export function createSendList(
  countLargeResponse: CountLargeResponse = createCountLargeResponse(),
): SendList {
  return async function sendList(request, reply, list) {
    // Validated by the schema of the route, which comes from page-query.ts.
    const asked = request.query as ListQuery<ReturnType<typeof list.key>>;
    const { limit = list.byDefault, after = null } = asked;
    if (limit !== null) {
      // One more record shows whether there is a next page.
      const found = await list.read({ after, limit: limit + 1 });
      const page = found.slice(0, limit);
      if (page.length < found.length) {
        const query = { ...asked, limit, after: list.key(page.at(-1)!) };
        reply.header('link', `<${pathOf(request)}?${queryText(query)}>; rel="next"`);
      }
      return sendRows(reply, page.map(list.row));
    }
    const pages = readPages(list, after);
    // Read before the response begins, so that an error can still be reported as a problem.
    const first = await pages.next();
    if (first.done) return [];
    if (first.value.length < limits.pageRecords.most) return sendRows(reply, first.value);
    countLargeResponse(request, reply);
    return stream(reply, startingWith(first.value, pages));
  };
}

async function* readPages<T, Row, Key extends number | string>(
  { read, row, key }: List<T, Row, Key>,
  start: Key | null,
): AsyncGenerator<Row[]> {
  const limit = limits.pageRecords.most;
  let after = start;
  for (;;) {
    const records = await read({ after, limit });
    if (records.length > 0) yield records.map(row);
    if (records.length < limit) return;
    after = key(records.at(-1)!);
  }
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

function sendRows<Row>(reply: FastifyReply, rows: Row[]): Row[] {
  return fitsOneSlice(rows) ? rows : stream(reply, [rows]);
}

/** Each slice is serialized by the schema of the response, as Fastify does with the whole list. */
function stream<Row>(
  reply: FastifyReply,
  pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): Row[] {
  const serialize = reply.getSerializationFunction('200') as unknown as (rows: unknown) => string;
  const text = jsonArray(pages, serialize);
  // Fastify sends a stream as it is. The type is that of the rows in it.
  return streamJson(reply, text) as unknown as Row[];
}

function queryText(query: object): string {
  const parameters = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(parameters as [string, string][]).toString();
}
