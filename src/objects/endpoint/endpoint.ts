import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import { clientClosedRequest } from '../../domain/http-status.ts';
import { headerCheckMs, limits } from '../../domain/limits.ts';
import { strictTransport, type Tls } from '../../domain/tls.ts';
import { ConditionNotMet, type DiskStore } from '../disk/disk-store.ts';
import type { Answer } from './call/call.ts';
import { explainUnmetCondition } from './call/conditions.ts';
import { allowOrigin, answerPreflight, originAliases } from './call/cors.ts';
import { errorAnswer, newRequestId, writeAnswer } from './call/write-answer.ts';
import { type CallLimits, createCallLimits } from './call-limits.ts';
import {
  type CredentialGuard,
  type HandlerDependencies,
  handleRequest,
  type Received,
  type RequestObserver,
} from './handle-request.ts';
import { receive } from './received-body.ts';
import type { Credential } from './signing/authenticate.ts';
import { type BodyPace, readAtPace } from './slow-body.ts';
import { answerUnparsableRequest } from './unparsable-request.ts';
import { S3Error } from './wire/s3-error.ts';

export interface EndpointOptions {
  readonly store: DiskStore;
  readonly credentials: { find(accessKeyId: string): Promise<Credential | undefined> };
  readonly bucket: string;
  readonly region: string;
  /** The only origin whose scripts may call the endpoint from a browser. */
  readonly corsOrigin: string;
  readonly guard: CredentialGuard;
  /** The address of the client, if proxies are trusted. By default that of the connection. */
  addressOf?(request: IncomingMessage): string;
  readonly log: Logger;
  /** Null: plain HTTP. */
  readonly tls?: Tls | null;
  readonly now?: () => Date;
  readonly limits?: CallLimits;
  readonly timeouts?: Partial<Timeouts>;
  /** Called when a response is finished, for metrics. */
  onFinished?(request: { method: string; status: number; seconds: number }): void;
  /** Counts a request of the partner with this prefix. Throws rate_limited to refuse it. */
  countRequest?(prefix: string): void;
  /** Does the work of a request of the partner with this prefix. */
  runFor?<T>(prefix: string, work: () => T): T;
}

interface Timeouts {
  readonly headersMs: number;
  readonly bodyPace: BodyPace;
}

export interface RunningEndpoint extends AsyncDisposable {
  readonly port: number;
}

/**
 * Partners may upload web pages, and cookies ignore the port. The sandbox keeps such a page from running
 * scripts in a browser that is signed in to the console on the same host.
 */
const contentPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'";
/** How long a connection may be idle during a request. */
const silenceTimeoutMs = 120_000;
const keepAliveMs = 65_000;
const defaultTimeouts: Timeouts = {
  headersMs: limits.headerSeconds.most * 1000,
  bodyPace: { bytes: limits.bodyBytesPerMinute.most, withinMs: 60_000 },
};
const defaultLimits: CallLimits = {
  requestsPerSecond: limits.storageRequestsPerSecond.most,
  requestsInProgress: limits.storageRequestsInProgress.most,
};
/** How long the rest of an unwanted body is drained. */
const lingerMs = 10_000;
const disconnectCodes = [
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ECONNRESET',
  'EPIPE',
];

/** An S3 server for the embedded store. */
export function createEndpoint(options: EndpointOptions) {
  const { log } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const calls = createCallLimits(options.limits ?? defaultLimits);
  const allowedOrigins = originAliases(options.corsOrigin);
  const dependencies: HandlerDependencies = {
    store: options.store,
    bucket: options.bucket,
    region: options.region,
    findCredential: (accessKeyId) => options.credentials.find(accessKeyId),
    now: options.now ?? (() => new Date()),
    guard: options.guard,
    runFor: options.runFor ?? ((_prefix, work) => work()),
    addressOf: options.addressOf ?? (({ socket }) => socket.remoteAddress ?? 'unknown'),
  };

  return {
    async listen(host: string, port: number): Promise<RunningEndpoint> {
      const server = newServer({
        maxHeaderSize: limits.headerBytes.most,
        headersTimeout: timeouts.headersMs,
        connectionsCheckingInterval: Math.min(headerCheckMs, timeouts.headersMs),
        // An upload may take any time as long as it makes progress.
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

  function newServer(settings: ServerOptions): Server {
    const { tls } = options;
    if (!tls) return createServer(settings);
    const secure = createTlsServer({
      ...settings,
      ...tls.current(),
      handshakeTimeout: timeouts.headersMs,
    });
    tls.follow(secure);
    return secure;
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
  ): Promise<void> {
    const startedAt = performance.now();
    const requestId = newRequestId();
    let accessKeyId: string | undefined;
    response.once('close', () => {
      const { method = '' } = request;
      const status = response.writableFinished ? response.statusCode : clientClosedRequest;
      const ms = performance.now() - startedAt;
      options.onFinished?.({ method, status, seconds: ms / 1000 });
      log.info(
        {
          method,
          path: pathOf(request),
          status,
          ms: Math.round(ms),
          access_key_id: accessKeyId,
          request_id: requestId,
        },
        'request',
      );
    });
    response.setHeader('x-amz-request-id', requestId);
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-security-policy', contentPolicy);
    if (options.tls) response.setHeader('strict-transport-security', strictTransport);
    allowOrigin(request, response, allowedOrigins);

    let isContinued = !awaitsContinue;
    async function* body(): AsyncGenerator<Uint8Array> {
      if (!isContinued) response.writeContinue();
      isContinued = true;
      yield* receive(readAtPace(request, timeouts.bodyPace));
    }

    try {
      const answer = await answerTo(
        { request, requestId, body: body() },
        {
          onAccessKeyId(found) {
            accessKeyId = found;
          },
          onAuthenticated(prefix) {
            options.countRequest?.(prefix);
            const release = calls.admit(prefix);
            if (response.closed) release();
            else response.once('close', release);
          },
        },
      );
      // Without a 100 Continue the client may or may not send the body, so the next bytes on the
      // connection are ambiguous.
      if (!isContinued) response.setHeader('connection', 'close');
      await writeAnswer(request, response, answer);
      drainRequest(request);
    } catch (error) {
      // Too late for another response. A disconnected client is not our error.
      if (!disconnectCodes.includes(codeOf(error) ?? '')) {
        log.error({ err: error, request_id: requestId }, 'response aborted');
      }
      response.destroy();
    }
  }

  async function answerTo(received: Received, observer: RequestObserver): Promise<Answer> {
    const { request, requestId } = received;
    try {
      if (request.method === 'OPTIONS') return answerPreflight(request, allowedOrigins);
      return await handleRequest(received, dependencies, observer);
    } catch (error) {
      const refusal = request.errored ? new S3Error('IncompleteBody') : toS3Error(error, requestId);
      return errorAnswer(refusal, pathOf(request), requestId);
    }
  }

  function toS3Error(error: unknown, requestId: string): S3Error {
    if (error instanceof S3Error) return error;
    if (error instanceof ConditionNotMet) return explainUnmetCondition(error);
    if (error instanceof TributaryError) {
      switch (error.code) {
        case 'storage_full':
          return new S3Error('InsufficientStorage');
        case 'forbidden':
          return new S3Error('AllAccessDisabled', error.message);
        case 'quota_exceeded':
        case 'rate_limited':
          return new S3Error('QuotaExceeded', error.message);
        case 'invalid_input':
          return new S3Error('InvalidArgument', error.message);
        case 'unavailable':
          log.warn({ err: error, request_id: requestId }, 'database unavailable');
          return new S3Error('ServiceUnavailable');
        default:
      }
    }
    log.error({ err: error, request_id: requestId }, 'request failed');
    return new S3Error('InternalError');
  }
}

/** The path without the query, which may contain a signature. */
function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '';
}

/** Discards the rest of the body. Closing at once would reset the connection and could lose the response. */
function drainRequest(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, lingerMs).unref();
}
