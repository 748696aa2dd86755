import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../server/app-types.ts';
import { type Body, gather } from './gather.ts';

/** A smaller response fits into one packet anyway. */
const leastBytes = 1_400;

/** Levels that take little time. A window of 256 KiB keeps the memory of a stream small. */
const gzipOptions: ZlibOptions = { level: 5 };
const brotliOptions: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

const codings = {
  br: {
    whole: (body: string | Buffer) => promisify(brotliCompress)(body, brotliOptions),
    stream: () => createBrotliCompress(brotliOptions),
  },
  gzip: {
    whole: (body: string | Buffer) => promisify(gzip)(body, gzipOptions),
    stream: () => createGzip(gzipOptions),
  },
};

/** Compresses responses to reads, on Node's own threads, if the client accepts it. */
export function compressResponses(app: App): void {
  app.addHook<Body | null>('onSend', async (request, reply, payload) => {
    if (payload === null || !mayCompress(request, reply)) return payload;
    const body = await gather(payload, leastBytes);
    if (!(body instanceof Readable) && Buffer.byteLength(body) <= leastBytes) return body;
    reply.header('vary', withVary(reply.getHeader('vary')));
    const coding = preferredCoding(request.headers['accept-encoding']);
    if (!coding) return body;
    reply.header('content-encoding', coding).removeHeader('content-length');
    const { whole, stream } = codings[coding];
    // A failed response is cut off, and the error handler of the server logs it.
    return body instanceof Readable ? pipeline(body, stream(), () => {}) : whole(body);
  });
}

const textTypes = /^(application\/(json|x-ndjson)|text\/(css|csv|html|javascript|plain))\b/;

/**
 * The length of a compressed response can reveal a secret in it to an attacker who chooses a part of the
 * response and watches the network (BREACH). So only successful reads without cookies are compressed:
 * another site cannot make a browser send an API key, reads never return secrets, and errors, which repeat
 * parts of the request, are left as they are.
 */
function mayCompress(request: FastifyRequest, reply: FastifyReply): boolean {
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    request.headers.cookie === undefined &&
    reply.statusCode === 200 &&
    textTypes.test(String(reply.getHeader('content-type'))) &&
    !reply.hasHeader('content-encoding') &&
    // A part of a file is a part of its own bytes.
    !reply.hasHeader('accept-ranges')
  );
}

function withVary(header: unknown): string {
  const names = header === undefined ? [] : String(header).split(/,\s*/);
  return [...new Set([...names, 'accept-encoding'])].join(', ');
}

/** The coding with the highest quality, Brotli if they are equal. Undefined: none is accepted. */
export function preferredCoding(header: string | string[] | undefined): 'br' | 'gzip' | undefined {
  const qualities = new Map(
    String(header ?? '')
      .split(',')
      .map(codingQuality),
  );
  const qualityOf = (coding: string) => qualities.get(coding) ?? qualities.get('*') ?? 0;
  const best = qualityOf('br') >= qualityOf('gzip') ? 'br' : 'gzip';
  return qualityOf(best) > 0 ? best : undefined;
}

function codingQuality(text: string): [string, number] {
  const [coding = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}
