import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import { clientClosedRequest } from '../../domain/http-status.ts';
import type { DiskStore } from '../disk/disk-store.ts';
import type { Answer } from './call/call.ts';
import { allowOrigin, answerPreflight, namesOf } from './call/cors.ts';
import { errorAnswer, newRequestId, writeAnswer } from './call/write-answer.ts';
import { type Handling, handleRequest } from './handle-request.ts';
import type { Credential } from './signing/authenticate.ts';
import { answerUnparsableRequest } from './unparsable-request.ts';
import { S3Error } from './wire/s3-error.ts';

export interface EndpointOptions {
  readonly store: DiskStore;
  readonly credentials: { find(accessKeyId: string): Promise<Credential | undefined> };
  readonly bucket: string;
  readonly region: string;
  /** The only origin whose scripts may call from a browser. */
  readonly corsOrigin: string;
  readonly log: Logger;
  readonly now?: () => Date;
}

export interface Listening extends AsyncDisposable {
  readonly port: number;
}

const maximumHeaderBytes = 16 * 1024;
const headersTimeoutMs = 15_000;
/**
 * Partners upload what they like, pages among it, and cookies do not tell ports apart: opened in a
 * browser that is signed in to the console, such a page runs no script and belongs to no site.
 */
const contentPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'";
/** How long a connection may be silent in the middle of a request. */
const silenceTimeoutMs = 120_000;
const keepAliveMs = 65_000;
/** How long the rest of a body that nobody wants may take to run out. */
const lingerMs = 10_000;
const clientLeft = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'];

/** An S3 server over the embedded store. */
export function createEndpoint(options: EndpointOptions) {
  const { log } = options;
  const corsOrigins = namesOf(options.corsOrigin);
  const handling: Handling = {
    store: options.store,
    bucket: options.bucket,
    region: options.region,
    findCredential: (accessKeyId) => options.credentials.find(accessKeyId),
    now: options.now ?? (() => new Date()),
  };

  return {
    async listen(host: string, port: number): Promise<Listening> {
      const server = createServer({
        maxHeaderSize: maximumHeaderBytes,
        headersTimeout: headersTimeoutMs,
        // An upload may take as long as it goes on.
        requestTimeout: 0,
        keepAliveTimeout: keepAliveMs,
      });
      server.timeout = silenceTimeoutMs;
      server.on('request', (request, response) => void serve(request, response, false));
      server.on('checkContinue', (request, response) => void serve(request, response, true));
      server.on('clientError', answerUnparsableRequest);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      return {
        port: (server.address() as AddressInfo).port,
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  };

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
  ): Promise<void> {
    const startedAt = performance.now();
    const requestId = newRequestId();
    let accessKeyId: string | undefined;
    response.once('close', () => {
      log.info(
        {
          method: request.method,
          path: pathOf(request),
          status: response.writableFinished ? response.statusCode : clientClosedRequest,
          ms: Math.round(performance.now() - startedAt),
          access_key_id: accessKeyId,
          request_id: requestId,
        },
        'request',
      );
    });
    response.setHeader('x-amz-request-id', requestId);
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-security-policy', contentPolicy);
    allowOrigin(request, response, corsOrigins);

    let isContinued = !awaitsContinue;
    async function* body(): AsyncGenerator<Uint8Array> {
      if (!isContinued) response.writeContinue();
      isContinued = true;
      // Left as it is when reading stops early, for the answer must still get through.
      yield* request.iterator({ destroyOnReturn: false });
    }

    try {
      const answer = await answerTo(request, body(), requestId, (claimed) => {
        accessKeyId = claimed;
      });
      // A client that was not told to send its body may or may not send it: who could tell then
      // what follows on the connection?
      if (!isContinued) response.setHeader('connection', 'close');
      await writeAnswer(request, response, answer);
      letRunOut(request);
    } catch (error) {
      // Too late for another answer. That the client went away is no fault of ours.
      if (!clientLeft.includes(codeOf(error) ?? '')) {
        log.error({ err: error, request_id: requestId }, 'answer broken off');
      }
      response.destroy();
    }
  }

  async function answerTo(
    request: IncomingMessage,
    body: AsyncIterable<Uint8Array>,
    requestId: string,
    onClaim: (accessKeyId: string) => void,
  ): Promise<Answer> {
    try {
      if (request.method === 'OPTIONS') return answerPreflight(request, corsOrigins);
      return await handleRequest(request, body, handling, onClaim);
    } catch (error) {
      const refusal = request.errored ? new S3Error('IncompleteBody') : toRefusal(error, requestId);
      return errorAnswer(refusal, pathOf(request), requestId);
    }
  }

  function toRefusal(error: unknown, requestId: string): S3Error {
    if (error instanceof S3Error) return error;
    if (error instanceof TributaryError) {
      switch (error.code) {
        case 'storage_full':
          return new S3Error('InsufficientStorage');
        case 'invalid_input':
          return new S3Error('InvalidArgument', error.message);
        case 'unavailable':
          log.warn({ err: error, request_id: requestId }, 'database away');
          return new S3Error('ServiceUnavailable');
        default:
      }
    }
    log.error({ err: error, request_id: requestId }, 'request failed');
    return new S3Error('InternalError');
  }
}

/** What was called, without the query, in which signatures stand. */
function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '';
}

/**
 * Drops what the client still sends: to close on it would reset the connection, and the answer might
 * be lost with it.
 */
function letRunOut(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, lingerMs).unref();
}
