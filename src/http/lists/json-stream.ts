import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** Rows that are converted to text at once. Other requests are served between two slices. */
const rowsPerSlice = 100;

/**
 * A response body made of text that is produced while it is sent. At most a few pieces wait for a
 * slow client, and no text is produced before it is needed.
 */
export function streamJson(reply: FastifyReply, text: AsyncIterable<string>): Readable {
  reply.type('application/json; charset=utf-8');
  return Readable.from(text, { highWaterMark: 1 });
}

/** A JSON array as text, slice by slice. `serialize` makes an array of a slice. */
export async function* jsonArray<Row>(
  pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  serialize: (rows: readonly Row[]) => string,
): AsyncGenerator<string> {
  let separator = '[';
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += rowsPerSlice) {
      yield separator + serialize(page.slice(start, start + rowsPerSlice)).slice(1, -1);
      separator = ',';
      await nextTurn();
    }
  }
  yield separator === '[' ? '[]' : ']';
}

/** Whether rows are few enough to be converted to text at once. */
export function fitsOneSlice(rows: readonly unknown[]): boolean {
  return rows.length <= rowsPerSlice;
}
