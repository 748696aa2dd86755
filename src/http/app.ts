import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import cookies from '@fastify/cookie';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { TributaryError } from '../domain/errors.ts';
import type { ObjectStore, UploadLinks } from '../objects/port.ts';
import type { Records } from '../records/records.ts';
import { registerAudienceIngest } from './audiences/audience-routes.ts';
import { registerConsoleAccount } from './console/account.ts';
import { registerConsoleAudiences } from './console/audience-list.ts';
import { registerConsoleAuthorizations } from './console/authorizations.ts';
import { registerConsoleApps } from './console/connected-apps.ts';
import { registerConsolePage } from './console/console-page.ts';
import { registerConsoleJobs } from './console/job-list.ts';
import { registerConsoleSession } from './console/session.ts';
import { registerConsoleUploads } from './console/uploads.ts';
import { createSendProgress } from './job-reports/progress-answers.ts';
import { registerMarketplaceAttributeCreation } from './marketplace/attribute-creation.ts';
import { registerMarketplaceAttributes } from './marketplace/attributes.ts';
import { registerMarketplaceImportFiles } from './marketplace/import-files.ts';
import { registerMarketplaceImportProgress } from './marketplace/import-progress.ts';
import { registerMarketplaceImportRejects } from './marketplace/import-rejects.ts';
import { registerMarketplaceImports } from './marketplace/imports.ts';
import { createAuthorizationServer } from './oauth/authorization-server.ts';
import { registerAuthorizationServer } from './oauth/oauth-routes.ts';
import { registerAdminCustomers } from './operator/customers.ts';
import { registerAdminOauthApps } from './operator/oauth-apps.ts';
import { registerAdminOauthGrants } from './operator/oauth-grants.ts';
import { registerAdminOauthKeys } from './operator/oauth-keys.ts';
import { registerAdminObjects } from './operator/objects.ts';
import { registerAdminPartners } from './operator/partners.ts';
import { registerAdminSessions } from './operator/sessions.ts';
import { registerAdminStatus } from './operator/status.ts';
import {
  registerAdminStorageCredentials,
  type SharedStorage,
} from './operator/storage-credentials.ts';
import { registerAdminUserTokens } from './operator/user-tokens.ts';
import { registerAdminUsers } from './operator/users.ts';
import { registerDocs } from './reference/reference-routes.ts';
import { createAdminToken } from './server/admin-token.ts';
import type { App } from './server/app-types.ts';
import { createAuth } from './server/auth.ts';
import { setBodyDeadline } from './server/body-deadline.ts';
import { answerUnparsableRequest } from './server/body-errors.ts';
import { type ReadinessChecks, registerHealth } from './server/health.ts';
import { createWrite } from './server/idempotent-write.ts';
import { createSendLive } from './server/live-answers.ts';
import type { Metrics } from './server/metrics.ts';
import { describeApi } from './server/openapi.ts';
import { sendProblem } from './server/problems.ts';
import { createRateLimit } from './server/rate-limit.ts';
import { onResponseFinished } from './server/response-finished.ts';
import { compileOnFirstUse, createSchemaCompilers } from './server/schema-compilers.ts';
import { createSessionCookie } from './server/session-cookie.ts';
import { pathOf } from './server/wire.ts';

export interface AppDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly readiness: ReadinessChecks;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly adminToken: string;
  readonly storage: SharedStorage;
  readonly uploadLinks: UploadLinks;
  /** Regions of partners' own buckets besides AWS's. */
  readonly partnerRegions: readonly string[];
  readonly publicUrl: string;
  /** How many requests a minute each API key has. */
  readonly rateLimit: number;
  /** Of fewer devices of an audience than that, with an attribute or without it, nothing is told. */
  readonly suppressionThreshold: number;
  readonly trustProxy: boolean | string;
  /** Where the console was built. */
  readonly consoleFolder: string;
}

const maximumBodyBytes = 1024 * 1024;
const maximumHeaderBytes = 16 * 1024;
const headersTimeoutMs = 15_000;

/** The HTTP API, complete and ready to listen. */
export async function createApp(deps: AppDependencies): Promise<App> {
  const { records, objects } = deps;
  const app: App = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    // One line a request, written below, in which neither headers nor bodies stand.
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    genReqId: ({ headers }) => clientRequestId(headers['x-request-id']) ?? randomUUID(),
    trustProxy: deps.trustProxy,
    bodyLimit: maximumBodyBytes,
    http: { maxHeaderSize: maximumHeaderBytes, headersTimeout: headersTimeoutMs },
    forceCloseConnections: true,
    return503OnClosing: false,
    // As long as an address can be at all: what is too long to be an id is an unknown id.
    routerOptions: { maxParamLength: maximumHeaderBytes },
    // An address that cannot be decoded has no route, and no hooks are run for it.
    frameworkErrors: (error, request, reply) => {
      beginAnswer(request, reply);
      sendProblem(error, request, reply);
    },
    clientErrorHandler: answerUnparsableRequest,
  }).withTypeProvider<TypeBoxTypeProvider>();

  const { validator, serializer } = compileOnFirstUse(createSchemaCompilers);
  app.setValidatorCompiler(validator);
  app.setSerializerCompiler(serializer);
  app.decorateRequest('partnerId', 0);
  app.decorateRequest('customerId', null);
  app.decorateRequest('session', null);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request) => {
    throw new TributaryError('not_found', `There is nothing at ${pathOf(request)}.`);
  });
  app.addHook('onRequest', async (request, reply) => {
    beginAnswer(request, reply);
    if (!request.routeOptions.config.takesLongBodies) setBodyDeadline(request.raw);
  });
  deps.metrics.observe(app);
  readOnlyJson(app);

  const methods = collectMethods(app);
  // The framework knows fewer methods than Node reads, and would find nothing at their paths.
  const unknown = METHODS.filter((method) => !app.supportedMethods.includes(method));
  for (const method of unknown) app.addHttpMethod(method);
  await app.register(cookies);
  const cookie = createSessionCookie(deps.publicUrl);
  await app.register(swagger, describeApi(deps.publicUrl, cookie.name));
  const adminToken = createAdminToken(deps.adminToken);
  const rateLimit = createRateLimit(deps.rateLimit);
  const auth = createAuth({ records, adminToken, rateLimit, cookie });
  const write = createWrite(records);
  const sendLive = createSendLive(app);
  const sendProgress = createSendProgress(sendLive);
  registerMarketplaceImports(app, records, auth, write, deps.partnerRegions);
  registerMarketplaceImportFiles(app, records, auth);
  registerMarketplaceImportRejects(app, records, auth);
  registerMarketplaceImportProgress(app, records, auth, sendProgress);
  await registerMarketplaceAttributeCreation(app, auth, write);
  registerMarketplaceAttributes(app, records, auth, write);
  await registerAudienceIngest(app, {
    records,
    auth,
    write,
    sendProgress,
    bucket: deps.storage.bucket,
    suppressionThreshold: deps.suppressionThreshold,
  });
  const { bucket } = deps.storage;
  registerConsoleSession(app, { records, auth, adminToken, cookie, bucket });
  registerConsoleAccount(app, records, auth, adminToken);
  registerConsoleAudiences(app, records, auth, sendLive);
  registerConsoleJobs(app, records, auth, sendLive);
  registerConsoleUploads(app, auth, deps.uploadLinks);
  const authorizationServer = createAuthorizationServer(deps);
  registerConsoleAuthorizations(app, records, auth, authorizationServer);
  registerConsoleApps(app, records, auth);
  registerAdminPartners(app, records, auth, deps.storage.bucket);
  registerAdminCustomers(app, records, auth);
  registerAdminUsers(app, records, auth);
  registerAdminSessions(app, records, auth, adminToken);
  registerAdminUserTokens(app, records, auth);
  registerAdminStorageCredentials(app, records, auth, deps.storage);
  await registerAdminObjects(app, records, objects, auth);
  registerAdminOauthApps(app, records, auth);
  registerAdminOauthGrants(app, records, auth);
  registerAdminOauthKeys(app, records, auth);
  registerAdminStatus(app, records, auth);
  await registerAuthorizationServer(app, authorizationServer);
  registerHealth(app, deps.readiness);
  registerDocs(app);
  const storageOrigin = deps.uploadLinks.origin;
  await registerConsolePage(app, { folder: deps.consoleFolder, storageOrigin });
  refuseOtherMethods(app, methods);
  await app.ready();
  return app;
}

function beginAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  onResponseFinished(reply, (status) => {
    request.log.info(
      {
        method: request.method,
        path: pathOf(request),
        status,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    );
  });
}

/** A client's own id is kept if it is fit for a header and a log line. */
function clientRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{1,128}$/.test(header) ? header : undefined;
}

/** Bodies are JSON in well-formed UTF-8, or they are refused. */
function readOnlyJson(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    if (isUtf8(bytes)) parse(request, bytes.toString(), done);
    else done(new TributaryError('malformed_body', 'The body is not well-formed UTF-8.'));
  });
}

/** Which methods each path has, noted as its routes are added. */
function collectMethods(app: App): Map<string, Set<string>> {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url, known);
  });
  return methods;
}

function refuseOtherMethods(app: App, methods: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [url, known] of [...methods]) {
    const allow = [...known].sort().join(', ');
    app.route({
      url,
      method: app.supportedMethods.filter((method) => !known.has(method)),
      schema: { hide: true },
      // Before the body is looked at: whatever it is, it is of no use here.
      onRequest: async (request, reply) => {
        reply.header('allow', allow);
        throw new TributaryError(
          'method_not_allowed',
          `${request.method} is not possible here, only ${allow}.`,
        );
      },
      handler: async () => {},
    });
  }
}
