import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../../domain/page.ts';
import { pathOf } from '../server/wire.ts';
import type { LargeResponses } from './large-responses.ts';
import { inPieces } from './read-in-pieces.ts';
import { fitsOneSlice, jsonArray, type Pages, readPages, sendStream } from './streams.ts';

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

export function createSendList(largeResponses: LargeResponses): SendList {
  return async function sendList(request, reply, list) {
    // Validated by the schema of the route, which comes from page-query.ts.
    const asked = request.query as ListQuery<ReturnType<typeof list.key>>;
    const { limit = list.byDefault, after = null } = asked;
    const read = inPieces(list.read, list.key);
    if (limit !== null) {
      // One more record shows whether there is a next page.
      const found = await read({ after, limit: limit + 1 });
      const page = found.slice(0, limit);
      if (page.length < found.length) {
        linkNext(request, reply, { limit, after: list.key(page.at(-1)!) });
      }
      return fitsOneSlice(page) ? page.map(list.row) : stream(reply, [page], list.row);
    }
    const { pages, isLarge } = await readPages(read, list.key, after);
    if (isLarge) largeResponses.count(request, reply);
    return stream(reply, pages, list.row);
  };
}

/** Adds the link to the next page. */
export function linkNext(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Required<ListQuery<number | string>>,
): void {
  const query = { ...(request.query as object), ...page };
  reply.header('link', `<${pathOf(request)}?${queryText(query)}>; rel="next"`);
}

/** Each slice is serialized by the schema of the response, as Fastify does with the whole list. */
function stream<T, Row>(reply: FastifyReply, pages: Pages<T>, row: (record: T) => Row): Row[] {
  const serialize = reply.getSerializationFunction('200') as unknown as (rows: unknown) => string;
  const text = jsonArray(pages, (slice) => serialize(slice.map(row)));
  return sendStream(reply, 'application/json', text);
}

function queryText(query: object): string {
  const parameters = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(parameters as [string, string][]).toString();
}
