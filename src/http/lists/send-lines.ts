import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../../domain/page.ts';
import type { LargeResponses } from './large-responses.ts';
import { inPieces } from './read-in-pieces.ts';
import { inSlices, readPages, sendStream } from './streams.ts';

/** A list that clients read as a whole, one JSON object per line. */
interface Lines<T> {
  read(page: Page): Promise<readonly T[]>;
  row(record: T): object;
  key(record: T): number;
  /** The name of the file, without an extension. */
  readonly name: string;
}

/** Responds with all records as a download. They are read while the response is sent. */
export type SendLines = <T, Body>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: Lines<T>,
) => Promise<Body>;

export function createSendLines(largeResponses: LargeResponses): SendLines {
  return async function sendLines(request, reply, { read, row, key, name }) {
    const { pages, isLarge } = await readPages(inPieces(read, key), key);
    if (isLarge) largeResponses.count(request, reply);
    reply.header('content-disposition', `attachment; filename="${name}.jsonl"`);
    const text = inSlices(pages, (records) =>
      records.map((record) => `${JSON.stringify(row(record))}\n`).join(''),
    );
    return sendStream(reply, 'application/x-ndjson', text);
  };
}
