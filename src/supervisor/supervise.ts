import { once } from 'node:events';
import { join } from 'node:path';
import { type Config, databaseOf, type ServingConfig } from '../config/config.ts';
import { chooseLogFormat, createProcessLogger, warnOfUnknownSettings } from '../config/logger.ts';
import type { Environment } from '../config/settings.ts';
import {
  lockDataDir,
  readOrCreateAdminToken,
  readOrCreateSecretKeys,
} from '../data-dir/data-dir.ts';
import { startEmbeddedServer } from '../records/database/embedded/server.ts';
import { createSealing } from '../records/database/sealing.ts';
import { checkPorts } from './ports.ts';
import { prepareDatabase } from './prepare-database.ts';
import { keepRunning } from './restarting-process.ts';
import { roles, startRole } from './role-process.ts';
import { provisionSandbox } from './sandbox.ts';
import { welcome } from './welcome.ts';

/**
 * Runs the whole service: the embedded database unless DATABASE_URL is set, one API process and one
 * worker process. Returns when the signal aborts and all processes have ended. If the start fails,
 * it stops what it has started and throws.
 */
export async function superviseAll(
  config: Config,
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  using _dataDir = await lockDataDir(config.dataDir);
  await checkPorts(config);
  const adminToken = await readOrCreateAdminToken(config.dataDir, config.adminToken);
  const log = createProcessLogger(config, 'supervisor', adminToken);
  warnOfUnknownSettings(config, log);

  // Disposed in reverse order: the roles before the database they use.
  await using running = new AsyncDisposableStack();
  let databaseUrl = config.databaseUrl;
  if (databaseUrl === null) {
    const start = () => startEmbeddedServer(config.dataDir);
    const database = running.use(await keepRunning('database', start, log));
    databaseUrl = database.first.url;
  }
  const serving: ServingConfig = { ...config, databaseUrl };
  const sealing = createSealing(await readOrCreateSecretKeys(config.dataDir, config.secretKeys));
  await prepareDatabase(serving, sealing);
  const issuesCredentials = config.objects.kind === 'disk';
  const sandbox = await provisionSandbox(databaseOf(serving), sealing, issuesCredentials);

  const roleEnv = {
    ...env,
    DATABASE_URL: databaseUrl,
    TRIBUTARY_LOG_FORMAT: chooseLogFormat(config.logFormat),
    // The compile cache makes the next start a third faster.
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? join(config.dataDir, 'compile-cache'),
  };
  const started = await Promise.allSettled(
    roles.map((role) => keepRunning(role, () => startRole(role, roleEnv), log)),
  );
  for (const outcome of started) if (outcome.status === 'fulfilled') running.use(outcome.value);
  // Ctrl-C during the start ends the processes before they are ready. That is not a failure.
  if (signal.aborted) return;
  for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason;

  process.stdout.write(welcome(config, sandbox));
  await once(signal, 'abort');
  log.info('stopping');
}
