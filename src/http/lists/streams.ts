import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import { nextTurn } from './turns.ts';

/** Rows that are converted to text without a look at the clock. */
const rowsPerStep = 10;
/** Rows that are converted to text at once if there are no more. */
const rowsPerSlice = 100;

/** Rows that are read page by page. */
export type Pages<Row> = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

/**
 * A response whose text is produced while it is sent. At most a few pieces wait for a slow client, and
 * no text is produced before it is needed. Fastify sends a stream as it is; the type is that of the
 * response's schema.
 */
export function sendStream<Body>(
  reply: FastifyReply,
  type: 'application/json' | 'application/x-ndjson' | 'text/csv',
  text: AsyncIterable<string>,
): Body {
  reply.type(`${type}; charset=utf-8`);
  return Readable.from(text, { highWaterMark: 1 }) as unknown as Body;
}

/** The text of rows, slice by slice. Other requests are served between two slices. */
export async function* inSlices<Row>(
  pages: Pages<Row>,
  text: (rows: readonly Row[]) => string,
): AsyncGenerator<string> {
  for await (const page of pages) {
    for (let start = 0; start < page.length; ) {
      const turn = await nextTurn();
      let slice = '';
      do {
        slice += text(page.slice(start, start + rowsPerStep));
        start += rowsPerStep;
      } while (start < page.length && !turn.isOver());
      yield slice;
    }
  }
}

/** Rows as the text of one JSON array. `serialize` makes an array of some of the rows. */
export async function* jsonArray<Row>(
  pages: Pages<Row>,
  serialize: (rows: readonly Row[]) => string,
): AsyncGenerator<string> {
  let separator = '[';
  yield* inSlices(pages, (rows) => {
    const text = separator + serialize(rows).slice(1, -1);
    separator = ',';
    return text;
  });
  yield separator === '[' ? '[]' : ']';
}

/** Whether rows are few enough to be converted to text at once. */
export function fitsOneSlice(rows: readonly unknown[]): boolean {
  return rows.length <= rowsPerSlice;
}

/**
 * Reads a list page by page. The first page is read at once, before the response begins, so that an
 * error can still be reported as a problem.
 */
export async function readPages<T, Key extends number | string = number>(
  read: (page: Page<Key>) => Promise<readonly T[]>,
  keyOf: (record: T) => Key,
  start: Key | null = null,
): Promise<{ pages: AsyncGenerator<readonly T[]>; isLarge: boolean }> {
  const limit = limits.pageRecords.most;
  const first = await read({ after: start, limit });
  async function* pages(): AsyncGenerator<readonly T[]> {
    let page = first;
    yield page;
    while (page.length === limit) {
      page = await read({ after: keyOf(page.at(-1)!), limit });
      yield page;
    }
  }
  return { pages: pages(), isLarge: first.length === limit };
}
