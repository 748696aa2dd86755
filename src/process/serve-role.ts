import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Config, ServingConfig } from '../config/config.ts';
import { warnOfSettings } from '../config/logger.ts';
import { ConfigError, type Environment } from '../config/settings.ts';
import { openDataDir } from '../data-dir/data-dir.ts';
import { unlessAborted } from '../domain/unless-aborted.ts';
import { createSealing, type Sealing } from '../records/database/sealing.ts';
import { checkPorts } from '../supervisor/ports.ts';
import { prepareDatabase } from '../supervisor/prepare-database.ts';
import type { Role } from '../supervisor/role-process.ts';
import { superviseAll } from '../supervisor/supervise.ts';
import { createRoleLogger } from './role-logger.ts';
import { shutdownSignal } from './shutdown-signal.ts';

const keepAliveMs = 60_000;

/** Runs the whole service until a signal stops it. */
export async function serveAll(config: Config, env: Environment): Promise<void> {
  await superviseAll(config, env, shutdownSignal(config));
}

/** Serves one role in this process until the signal aborts. */
export async function serveRole(
  role: Role,
  config: ServingConfig,
  log: Logger,
  onReady: () => void,
  shutdown: AbortSignal,
): Promise<void> {
  await using _running = await start(role, config, log);
  onReady();
  if (shutdown.aborted) return;
  // A worker that is older than the schema has nothing open, and Node would end it before it is stopped.
  const alive = setInterval(() => {}, keepAliveMs);
  await once(shutdown, 'abort');
  clearInterval(alive);
}

/** Loads only the modules of the role, because loading takes most of the start. */
async function start(role: Role, config: ServingConfig, log: Logger): Promise<AsyncDisposable> {
  switch (role) {
    case 'api': {
      const { startApi } = await import('./start-api.ts');
      return startApi(config, log);
    }
    case 'worker': {
      const { startWorker } = await import('./start-worker.ts');
      return startWorker(config, log);
    }
    case 'isolated-worker': {
      const { startIsolatedWorker } = await import('./start-worker.ts');
      return startIsolatedWorker(config, log);
    }
  }
}

/** Serves one role without a supervisor. Any number of these processes may run on any number of machines. */
export async function serveStandaloneRole(role: Role, config: Config): Promise<void> {
  const { requested, forced } = shutdownSignal(config);
  const { serving, secretKeys, adminToken } = standalone(config);
  const log = createRoleLogger(config, role, adminToken);
  try {
    await unlessAborted(prepare(role, serving, createSealing(secretKeys)), requested);
    // A worker serves only metrics, which have no secrets.
    warnOfSettings(role === 'api' ? config : { ...config, host: 'localhost' }, log);
    await unlessAborted(
      serveRole(role, serving, log, () => log.info('ready'), requested),
      forced,
    );
  } catch (error) {
    // Whatever fails after the request is a consequence of it.
    if (!requested.aborted) throw error;
  }
  log.info('stopped');
}

/** Migrates the database, and checks all that a start of the same settings checks. */
export async function migrateOnly(config: Config): Promise<void> {
  const { serving, secretKeys } = standalone(config);
  await openDataDir(config.dataDir);
  await prepareDatabase(serving, createSealing(secretKeys));
}

function standalone(config: Config) {
  const { databaseUrl, secretKeys, adminToken } = config;
  // Nothing is generated here, because all processes need the same values.
  const required = {
    DATABASE_URL: databaseUrl,
    TRIBUTARY_SECRET_KEY: secretKeys,
    TRIBUTARY_ADMIN_TOKEN: adminToken,
  };
  const missing = Object.entries(required).find(([, value]) => value === null)?.[0];
  if (databaseUrl === null || secretKeys === null || adminToken === null) {
    throw new ConfigError(
      `${missing} must be set to run a single role, with the same value in every process`,
    );
  }
  return { serving: { ...config, databaseUrl }, secretKeys, adminToken };
}

async function prepare(role: Role, config: ServingConfig, sealing: Sealing): Promise<void> {
  await openDataDir(config.dataDir);
  await checkPorts(config, [role]);
  await prepareDatabase(config, sealing);
}
