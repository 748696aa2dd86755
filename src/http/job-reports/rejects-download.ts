import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Reject } from '../../records/queue/rejects.ts';
import { inSlices } from '../lists/streams.ts';
import { preferredType } from '../server/accept.ts';
import { csvLine } from '../server/csv-line.ts';

/** Rejected rows as a download. */

interface Format {
  readonly extension: string;
  readonly header: string;
  line(reject: Reject): string;
}

const formats = {
  'text/csv': {
    extension: 'csv',
    header: csvLine(['file', 'line', 'code', 'original']),
    line: ({ s3Path, line, code, original }) => csvLine([s3Path, line, code, original.toString()]),
  },
  'application/x-ndjson': {
    extension: 'jsonl',
    header: '',
    line: ({ s3Path, line, code, original }) => {
      const encoding = isUtf8(original) ? 'utf-8' : 'base64';
      const record = { file: s3Path, line, code, original: original.toString(encoding), encoding };
      return `${JSON.stringify(record)}\n`;
    },
  },
} as const satisfies Record<string, Format>;

const RejectSchema = Type.Object(
  {
    file: Type.String({ examples: ['partner-1/devices.csv'] }),
    line: Type.Integer({ description: 'Line in the file, starting at 1.', examples: [17] }),
    code: Type.String({ examples: ['malformed_id'] }),
    original: Type.String({
      description: 'The line, truncated to 1 KiB.',
      examples: ['n/a,autos'],
    }),
    encoding: Type.Enum(['utf-8', 'base64'], {
      description: 'Encoding of `original`: `base64` if its bytes are not valid UTF-8.',
    }),
  },
  { description: 'One rejected row per line.' },
);

export const downloadDescription =
  'In the CSV, a cell that a spreadsheet would run as a formula is prefixed with an apostrophe, and invalid UTF-8 is replaced. Send `Accept: application/x-ndjson` to get the exact bytes.';

export const RejectsDownload = {
  description: 'The rejected rows.',
  headers: {
    'Content-Disposition': { type: 'string', description: 'The file name of the download.' },
  },
  content: {
    'text/csv': {
      schema: Type.Unsafe<Readable>({
        type: 'string',
        description: 'With the header `file,line,code,original`.',
        examples: [
          'file,line,code,original\r\npartner-1/devices.csv,17,malformed_id,"n/a,autos"\r\n',
        ],
      }),
    },
    'application/x-ndjson': { schema: RejectSchema },
  },
};

/** Responds with the rejects in the format the client prefers. `name` has no extension. */
export async function sendRejects(
  request: FastifyRequest,
  reply: FastifyReply,
  pages: AsyncGenerator<readonly Reject[]>,
  name: string,
): Promise<Readable> {
  // Read before the response begins, so that an error can still be reported as a problem.
  const first = await pages.next();
  const type = preferredType(request.headers.accept, ['text/csv', 'application/x-ndjson']);
  const format: Format = formats[type];
  reply.type(`${type}; charset=utf-8`).headers({
    'content-disposition': `attachment; filename="${name}.${format.extension}"`,
    vary: 'accept',
  });
  return Readable.from(textOf(format, continued(first, pages)), { highWaterMark: 1 });
}

async function* textOf(
  { header, line }: Format,
  pages: AsyncIterable<readonly Reject[]>,
): AsyncGenerator<string> {
  yield header;
  yield* inSlices(pages, (rejects) => rejects.map(line).join(''));
}

async function* continued<T>(first: IteratorResult<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
