import { join } from 'node:path';
import type { Logger } from 'pino';
import { parseWarehouse, type ServingConfig, storesFiles } from '../config/config.ts';
import { readVersion } from '../config/version.ts';
import { readOrCreateAdminToken, replaceAdminToken } from '../data-dir/data-dir.ts';
import { createDisclosures } from '../domain/disclosure/disclosure.ts';
import { createGuessLimit } from '../domain/guess-limit.ts';
import { limits } from '../domain/limits.ts';
import { createApp } from '../http/app.ts';
import type { SendMail } from '../http/console/link-mail.ts';
import type { SharedStorage } from '../http/operator/storage-credentials.ts';
import { createAddressReader, networkOf } from '../http/server/client-address.ts';
import { passingChecks } from '../http/server/health.ts';
import { createRequestCounter } from '../http/usage/request-counter.ts';
import { createApiMetrics } from '../metrics/api-metrics.ts';
import { serveMetrics } from '../metrics/serve-metrics.ts';
import { createServiceMetrics } from '../metrics/service-metrics.ts';
import { createEndpoint } from '../objects/endpoint/endpoint.ts';
import { createEndpointUploadLinks } from '../objects/endpoint/signing/upload-links.ts';
import type { UploadLinks } from '../objects/port.ts';
import { runForCaller } from '../records/database/caller-shares.ts';
import { partnerOf } from '../records/objects/storage-use.ts';
import type { Records } from '../records/records.ts';
import { openTls } from './open-tls.ts';
import { openTracer } from './open-tracer.ts';
import { readLogo } from './read-logo.ts';
import { openStores, sharedBucketOptions } from './stores.ts';
import { findWarehouse, reserveOf } from './warehouse/find-warehouse.ts';
import { openWarehouseCheck, type WarehouseCheck } from './warehouse/warehouse-check.ts';

const consoleFolder = join(import.meta.dirname, '../../console/dist');
/**
 * A request is answered within ten seconds even if the database is frozen: the answer to a statement
 * may come one second after its timeout.
 */
const databaseLimits = {
  maxConnections: 20,
  connectionsPerCaller: limits.connectionsPerTenant.most,
  statementTimeoutMs: 7_000,
};
/** The region of the embedded store. S3 clients require one. */
const embeddedRegion = 'us-east-1';

/** Serves the API, the embedded object store and the metrics until disposed. */
export async function startApi(settings: ServingConfig, log: Logger): Promise<AsyncDisposable> {
  const resources = new AsyncDisposableStack();
  try {
    const stores = await openStores(settings, databaseLimits, resources);
    const { records, objects } = stores;
    const { config } = await findWarehouse(settings, records, log);
    const warehouse = await openWarehouseCheck(settings, records, resources);
    const readiness = {
      database: records.checkReady,
      storage: objects.checkReady,
      warehouse: warehouse.checkReady,
    };
    const metrics = createApiMetrics(
      () => passingChecks(readiness),
      () => usableReplicas(warehouse),
    );
    const requests = resources.use(createRequestCounter(records, log));
    const tls = config.tls && resources.use(await openTls(config.tls, log));
    const guesses = createGuessLimit(limits.wrongCredentials.most);
    const app = await createApp({
      version: readVersion(),
      records,
      objects,
      log,
      readiness,
      onFinished: metrics.requestFinished,
      tracer: resources.use(await openTracer(config, 'api', log)),
      reserve: storesFiles(config) ? reserveOf(config) : null,
      adminToken: await readOrCreateAdminToken(config.dataDir, config.adminToken),
      saveAdminToken:
        config.adminToken === null ? (token) => replaceAdminToken(config.dataDir, token) : null,
      storage: sharedStorage(config),
      uploadRetentionDays: config.uploadRetentionDays,
      backupTarget: config.backup.target,
      warehouse: { setting: settings.clickhouse, folder: config.dataDir, parse: parseWarehouse },
      uploadLinks: await uploadLinksOf(config, records),
      partnerBuckets: {
        regions: Object.keys(config.partnerS3Endpoints),
        rolePrincipal: config.sts?.principal ?? null,
      },
      webhookTargets: config.webhookTargets,
      publicUrl: config.publicUrl,
      rateLimit: config.rateLimit,
      requests,
      maxAttributes: config.maxAttributes,
      maxAudiences: config.maxAudiences,
      deletionHours: config.deletionHours,
      guesses,
      disclosures: createDisclosures(config.disclosure, await records.reportedContents.draw()),
      trustProxy: config.trustProxy,
      tls,
      consoleFolder,
      brand: {
        name: config.brand.name,
        logo: config.brand.logo === null ? null : await readLogo(config.brand.logo),
      },
      sendMail: await openMailer(config),
      examine: async () => {
        const { examine } = await import('../doctor/examine.ts');
        const { database: _, ...parts } = readiness;
        const found = { records, databaseError: null, parts, replicas: warehouse.replicas };
        return examine({ config: settings, ...found, deep: false });
      },
    });
    resources.defer(() => app.close());
    await app.listen({ host: config.host, port: config.port });
    if (stores.disk && config.objects.kind === 'disk') {
      const addressOf = createAddressReader(config.trustProxy);
      const endpoint = createEndpoint({
        store: stores.disk,
        credentials: records.storageCredentials,
        bucket: config.bucket,
        region: embeddedRegion,
        corsOrigin: new URL(config.publicUrl).origin,
        countRequest: (prefix) => requests.count(partnerOf(prefix)!),
        runFor: (prefix, work) => runForCaller(`partner ${partnerOf(prefix)}`, work),
        guard: { guesses, networkOf: (request) => networkOf(addressOf(request)) },
        addressOf,
        limits: config.objects,
        log,
        onFinished: metrics.storageRequestFinished,
        tls,
      });
      resources.use(await endpoint.listen(config.host, config.objects.port));
    }
    if (config.metricsPort !== null) {
      const service = createServiceMetrics(records, {
        deletionHours: config.deletionHours,
        backupTarget: config.backup.target,
        dropDeadlineDays: config.drop.deadlineDays,
      });
      const sources = [stores.metrics.registry, metrics.registry, service];
      resources.use(await serveMetrics(sources, config.host, config.metricsPort));
    }
    return resources;
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

/** Null if no mail server is set up. */
async function openMailer({ mail, brand }: ServingConfig): Promise<SendMail | null> {
  if (mail === null) return null;
  const { createMailer } = await import('../mail/mailer.ts');
  return createMailer({
    smtpUrl: mail.smtpUrl,
    from: { name: brand.name, address: mail.from },
  });
}

/** Whether each replica can be used. None if the warehouse does not answer. */
async function usableReplicas({ replicas }: WarehouseCheck): Promise<Record<string, boolean>> {
  const found = await replicas().catch(() => []);
  return Object.fromEntries(found.map(({ name, state }) => [name, state === 'up']));
}

async function uploadLinksOf(config: ServingConfig, records: Records): Promise<UploadLinks> {
  const { bucket, objects } = config;
  switch (objects.kind) {
    case 'disk':
      return createEndpointUploadLinks({
        publicUrl: objects.publicUrl,
        bucket,
        region: embeddedRegion,
        credentials: records.storageCredentials,
      });
    case 's3': {
      const { createS3UploadLinks } = await import('../objects/s3/upload-links.ts');
      const endpoint = objects.publicUrl;
      return createS3UploadLinks({ ...sharedBucketOptions(bucket, objects), endpoint });
    }
  }
}

function sharedStorage({ bucket, objects }: ServingConfig): SharedStorage {
  switch (objects.kind) {
    case 'disk':
      return { endpoint: objects.publicUrl, region: embeddedRegion, bucket, issuedHere: true };
    case 's3': {
      const { region } = objects;
      const endpoint = objects.publicUrl ?? `https://s3.${region}.amazonaws.com`;
      return { endpoint, region, bucket, issuedHere: false };
    }
  }
}
