import type { Logger } from 'pino';
import type { Config, ServingConfig } from '../config/config.ts';
import { createLogger } from '../config/logger.ts';
import { ConfigError } from '../config/settings.ts';
import { openDataDir } from '../data-dir/data-dir.ts';
import { createSealing } from '../records/database/sealing.ts';
import { checkPorts } from '../supervisor/ports.ts';
import { prepareDatabase } from '../supervisor/prepare-database.ts';
import type { Role } from '../supervisor/role-process.ts';
import { whenToldToStop } from './shutdown-signal.ts';

/** One role in this process, until `stopped`. */
export async function serveRole(
  role: Role,
  config: ServingConfig,
  log: Logger,
  onReady: () => void,
  stopped: Promise<void>,
): Promise<void> {
  await using _running = await start(role, config, log);
  onReady();
  await stopped;
}

/** Loads what the role needs and no more, as loading is most of a start. */
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
  }
}

/** The same without a supervisor, as one of any number of processes on any number of machines. */
export async function serveRoleApart(role: Role, config: Config): Promise<void> {
  const stopping = Promise.withResolvers<void>();
  whenToldToStop(config, () => stopping.resolve());
  const { databaseUrl, secretKeys, adminToken } = config;
  // What every process must know alike is made by none of them.
  const needed = {
    DATABASE_URL: databaseUrl,
    TRIBUTARY_SECRET_KEY: secretKeys,
    TRIBUTARY_ADMIN_TOKEN: adminToken,
  };
  const missing = Object.entries(needed).find(([, value]) => value === null)?.[0];
  if (databaseUrl === null || secretKeys === null || adminToken === null) {
    throw new ConfigError(
      `${missing} is needed to run a single role, as the other processes have it`,
    );
  }
  await openDataDir(config.dataDir);
  if (role === 'api') await checkPorts(config);
  const serving = { ...config, databaseUrl };
  await prepareDatabase(serving, createSealing(secretKeys));
  const log = createLogger({ level: config.logLevel, role, secrets: [adminToken] });
  for (const setting of config.unknownSettings) log.warn({ setting }, 'not a setting of Tributary');
  await serveRole(role, serving, log, () => log.info('ready'), stopping.promise);
  log.info('stopped');
}
