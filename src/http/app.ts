import cookies from '@fastify/cookie';
import swagger from '@fastify/swagger';
import type { Logger } from 'pino';
import type { Disclosures } from '../domain/disclosure/disclosure.ts';
import type { DiskReserve } from '../domain/disk-reserve.ts';
import type { Finding } from '../domain/finding.ts';
import type { GuessLimit } from '../domain/guess-limit.ts';
import { limits } from '../domain/limits.ts';
import type { Tls } from '../domain/tls.ts';
import type { WebhookTargets } from '../domain/webhooks/targets.ts';
import type { ObjectStore, UploadLinks } from '../objects/port.ts';
import { runForCaller } from '../records/database/caller-shares.ts';
import type { Records } from '../records/records.ts';
import { compressResponses } from './answers/compression.ts';
import { announceDeprecations } from './answers/deprecation.ts';
import { addEntityTags } from './answers/entity-tags.ts';
import { createWaitFor } from './answers/long-poll.ts';
import { registerAudiences } from './audiences/audience-routes.ts';
import type { Brand } from './console/console-page.ts';
import { registerConsole } from './console/console-routes.ts';
import type { SendMail } from './console/link-mail.ts';
import { createSendProgress } from './job-reports/progress-answers.ts';
import { createLargeResponses } from './lists/large-responses.ts';
import { createSendLines } from './lists/send-lines.ts';
import { createSendList } from './lists/send-list.ts';
import type { PartnerBuckets } from './marketplace/bucket-credentials.ts';
import { registerMarketplace } from './marketplace/marketplace-routes.ts';
import { createAuthorizationServer } from './oauth/authorization-server.ts';
import { registerOauth } from './oauth/oauth-routes.ts';
import type { SaveAdminToken } from './operator/admin-token.ts';
import { registerOperator } from './operator/operator-routes.ts';
import type { SharedStorage } from './operator/storage-credentials.ts';
import { registerOperatorJobs } from './operator-jobs/operator-job-routes.ts';
import { registerAdminWarehouse, type WarehouseSettings } from './operator-jobs/warehouse.ts';
import { registerPrivacy } from './privacy/privacy-routes.ts';
import { registerReference } from './reference/reference-routes.ts';
import { createAdminToken } from './server/admin-token.ts';
import { answerOtherMethods, collectMethods } from './server/allowed-methods.ts';
import type { App } from './server/app-types.ts';
import { createAudit } from './server/audit.ts';
import { createAuth } from './server/auth.ts';
import { createEventStreams } from './server/event-streams.ts';
import { type ReadinessChecks, registerHealth } from './server/health.ts';
import { createHttpServer, type HttpServerOptions } from './server/http-server.ts';
import { createWrite } from './server/idempotent-write.ts';
import { createSendLive, ownerOf } from './server/live-answers.ts';
import { describeApi } from './server/openapi.ts';
import { createRateLimit } from './server/rate-limit.ts';
import { createSessionCookie } from './server/session-cookie.ts';
import type { RequestCounter } from './usage/request-counter.ts';
import { registerWatches } from './watches/watches.ts';
import { registerWebhookRoutes } from './webhooks/webhook-routes.ts';

export interface AppDependencies extends Pick<HttpServerOptions, 'onFinished' | 'tracer'> {
  readonly version: string;
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly readiness: ReadinessChecks;
  /** Null: no data is stored on a disk of the service. */
  readonly reserve: DiskReserve | null;
  readonly log: Logger;
  readonly adminToken: string;
  /** Keeps a new admin token for the next start. Null: the token comes from the environment. */
  readonly saveAdminToken: SaveAdminToken;
  readonly storage: SharedStorage;
  /** For how many days uploads are kept after they were last loaded. Null: for good. */
  readonly uploadRetentionDays: number | null;
  /** Where the service backs itself up. Null: nowhere. */
  readonly backupTarget: string | null;
  readonly warehouse: WarehouseSettings;
  readonly uploadLinks: UploadLinks;
  readonly partnerBuckets: PartnerBuckets;
  readonly webhookTargets: WebhookTargets;
  readonly publicUrl: string;
  /** Requests per minute for each API key. */
  readonly rateLimit: number;
  /** Counts the requests of partners. */
  readonly requests: Pick<RequestCounter, 'count'>;
  /** Attributes that each partner may have. */
  readonly maxAttributes: number;
  /** How long deleted devices may stay on disk. */
  readonly deletionHours: number;
  /** Audiences that each partner may have. */
  readonly maxAudiences: number;
  /** Shared by all servers of the process. */
  readonly guesses: GuessLimit;
  readonly disclosures: Disclosures;
  readonly trustProxy: boolean | string;
  /** Null: plain HTTP. */
  readonly tls: Tls | null;
  /** The folder with the built console. */
  readonly consoleFolder: string;
  readonly brand: Brand;
  /** Null: no mail server is set up. */
  readonly sendMail: SendMail | null;
  /** Looks for what is wrong with the service. */
  examine(): Promise<readonly Finding[]>;
}

/** The HTTP API, ready to listen. */
export async function createApp(deps: AppDependencies): Promise<App> {
  const { records, storage, uploadLinks, guesses } = deps;
  const { bucket } = storage;
  const app = createHttpServer(deps);
  const methods = collectMethods(app);
  announceDeprecations(app);
  addEntityTags(app);
  compressResponses(app);
  await app.register(cookies);
  app.addHook('preHandler', (request, _reply, done) => {
    const isTenant = request.partnerId !== 0 || request.customerId !== null;
    if (isTenant) runForCaller(ownerOf(request), done);
    else done();
  });
  const cookie = createSessionCookie(deps.publicUrl);
  await app.register(swagger, describeApi(deps.version, deps.publicUrl, cookie.name));

  const adminToken = createAdminToken(deps.adminToken, records);
  const rateLimit = createRateLimit(deps.rateLimit);
  const audit = createAudit(records, adminToken.redact);
  const auth = createAuth({
    records,
    adminToken,
    audit,
    rateLimit,
    requests: deps.requests,
    guesses,
    cookie,
  });
  const write = createWrite(records, audit);
  const streams = createEventStreams(app, limits.openStreams.most);
  const sendLive = createSendLive(streams);
  const waitFor = createWaitFor(streams);
  const sendProgress = createSendProgress(sendLive);
  const largeResponses = createLargeResponses();
  const sendList = createSendList(largeResponses);
  const authorizationServer = createAuthorizationServer(deps);

  const { brand, publicUrl, sendMail } = deps;
  const links = { records, publicUrl, brandName: brand.name, sendMail };
  const { partnerBuckets, disclosures, maxAttributes, maxAudiences } = deps;
  await registerMarketplace(app, {
    records,
    auth,
    write,
    sendProgress,
    sendList,
    waitFor,
    partnerBuckets,
    maxAttributes,
  });
  await registerAudiences(app, {
    records,
    auth,
    write,
    sendProgress,
    sendList,
    waitFor,
    largeResponses,
    bucket,
    disclosures,
    maxAudiences,
  });
  registerWatches(app, { records, auth, write, sendList, partnerBuckets, bucket });
  await registerConsole(app, {
    records,
    auth,
    adminToken,
    audit,
    guesses,
    cookie,
    write,
    sendLive,
    sendList,
    objects: deps.objects,
    uploadLinks,
    authorizationServer,
    disclosures,
    links,
    brand,
    bucket,
    maxAudiences,
    uploadRetentionDays: deps.uploadRetentionDays,
    folder: deps.consoleFolder,
  });
  registerWebhookRoutes(app, {
    records,
    auth,
    write,
    targets: deps.webhookTargets,
    sendLive,
    sendList,
  });
  await registerOperator(app, {
    records,
    objects: deps.objects,
    auth,
    adminToken,
    saveAdminToken: deps.saveAdminToken,
    storage,
    uploadRetentionDays: deps.uploadRetentionDays,
    backupTarget: deps.backupTarget,
    links,
    sendList,
    sendLines: createSendLines(largeResponses),
    deletionHours: deps.deletionHours,
    examine: deps.examine,
  });
  registerOperatorJobs(app, records, auth);
  registerAdminWarehouse(app, records, auth, deps.warehouse);
  await registerPrivacy(app, {
    records,
    objects: deps.objects,
    auth,
    sendList,
    uploadRetentionDays: deps.uploadRetentionDays,
    isStoredHere: storage.issuedHere,
  });
  await registerOauth(app, authorizationServer);
  registerHealth(app, deps);
  registerReference(app);
  answerOtherMethods(app, methods);
  await app.ready();
  return app;
}
