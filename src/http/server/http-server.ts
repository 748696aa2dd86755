import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import type { Server } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { TributaryError } from '../../domain/errors.ts';
import { headerCheckMs, limits } from '../../domain/limits.ts';
import { redactSecrets } from '../../domain/redaction.ts';
import { strictTransport, type Tls } from '../../domain/tls.ts';
import type { Tracer } from '../../trace/span.ts';
import type { App } from './app-types.ts';
import { setBodyDeadline } from './body-deadline.ts';
import { answerUnparsableRequest } from './body-errors.ts';
import { acceptOnlyJson } from './body-parsers.ts';
import { sendProblem } from './problems.ts';
import { onResponseFinished } from './response-finished.ts';
import { compileOnFirstUse, createSchemaCompilers } from './schema-compilers.ts';
import { traceRequests } from './trace-requests.ts';
import { pathOf } from './wire.ts';

/** A request whose response is finished. */
interface FinishedRequest {
  readonly method: string;
  /** The route's path with its parameters, not the path of the request. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export interface HttpServerOptions {
  readonly log: Logger;
  /** Called when a response is finished, for metrics. */
  onFinished?(request: FinishedRequest): void;
  /** Null: nothing is traced. */
  readonly tracer?: Tracer | null;
  readonly trustProxy: boolean | string;
  readonly publicUrl: string;
  readonly tls: Tls | null;
}

/**
 * How long a refused client waits for its response. A client that ignores the limits and repeats its
 * request at once would otherwise take the time of the event loop from others.
 */
const refusalMs = 250;

/** The server without routes: limits, validation, problems and request log. */
export function createHttpServer(options: HttpServerOptions): App {
  const { log, onFinished, trustProxy, tracer, tls } = options;
  const http = {
    maxHeaderSize: limits.headerBytes.most,
    headersTimeout: limits.headerSeconds.most * 1000,
    connectionsCheckingInterval: headerCheckMs,
  };
  const https = tls && { ...http, ...tls.current(), handshakeTimeout: http.headersTimeout };
  const app: App = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // beginResponse logs one line per request, without headers or bodies.
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    genReqId: ({ headers }) => clientRequestId(headers['x-request-id']) ?? randomUUID(),
    trustProxy,
    bodyLimit: limits.bodyBytes.most,
    ...(https ? { https } : { http }),
    forceCloseConnections: true,
    return503OnClosing: false,
    // As long as a URL can be, so that an overlong id gives 404, like any unknown id.
    routerOptions: { maxParamLength: limits.headerBytes.most },
    // A URL that cannot be decoded has no route, so no hooks run for it.
    frameworkErrors: (error, request, reply) => {
      beginResponse(request, reply);
      sendProblem(error, request, reply);
    },
    clientErrorHandler: answerUnparsableRequest,
  }).withTypeProvider<TypeBoxTypeProvider>();

  tls?.follow(app.server as Server);
  const isHttps = options.publicUrl.startsWith('https:');

  const { validator, serializer } = compileOnFirstUse(createSchemaCompilers);
  app.setValidatorCompiler(validator);
  app.setSerializerCompiler(serializer);
  app.decorateRequest('partnerId', 0);
  app.decorateRequest('apiKeyId', 0);
  app.decorateRequest('customerId', null);
  app.decorateRequest('session', null);
  app.decorateRequest('appGrant', null);
  app.decorateRequest('change', null);
  app.setErrorHandler(async (error, request, reply) => {
    if (error instanceof TributaryError && error.code === 'rate_limited') await sleep(refusalMs);
    return sendProblem(error, request, reply);
  });
  app.setNotFoundHandler((request) => {
    throw new TributaryError('not_found', `No route for ${pathOf(request)}.`);
  });
  if (tracer) traceRequests(app, tracer);
  app.addHook('onRequest', async (request, reply) => {
    beginResponse(request, reply);
    if (isHttps) reply.header('strict-transport-security', strictTransport);
    if (!request.routeOptions.config.takesLongBodies) setBodyDeadline(request.raw);
  });
  if (onFinished) reportFinished(app, onFinished);
  acceptOnlyJson(app);
  // Fastify supports fewer methods than Node parses, and would answer the others with 404.
  const unsupported = METHODS.filter((method) => !app.supportedMethods.includes(method));
  for (const method of unsupported) app.addHttpMethod(method);
  return app;
}

function reportFinished(app: App, onFinished: (request: FinishedRequest) => void): void {
  app.addHook('onRequest', async ({ method, routeOptions }, reply) => {
    onResponseFinished(reply, (status) => {
      const route = routeOptions.url ?? 'none';
      onFinished({ method, route, status, seconds: reply.elapsedTime / 1000 });
    });
  });
}

/** Sets the headers of every response, and logs the request when the response is finished. */
function beginResponse(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  const logRequest = (status: number) => {
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method: request.method, path: pathOf(request), status, ms }, 'request');
  };
  // Bound to the span of the request, because a connection that is cut calls back outside of it.
  onResponseFinished(reply, AsyncResource.bind(logRequest));
}

/** The client's own request id, if it is safe in a header, a log line and the audit log. */
function clientRequestId(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || !/^[\w.-]{1,128}$/.test(header)) return undefined;
  return redactSecrets(header, []) === header ? header : undefined;
}
