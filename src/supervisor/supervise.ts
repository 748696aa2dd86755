import { join } from 'node:path';
import { type Config, databaseOf, type ServingConfig } from '../config/config.ts';
import { createLogger } from '../config/logger.ts';
import type { Environment } from '../config/settings.ts';
import { readOrMakeAdminToken, readOrMakeSecretKeys, takeDataDir } from '../data-dir/data-dir.ts';
import { startEmbeddedServer } from '../records/database/embedded/server.ts';
import { createSealing } from '../records/database/sealing.ts';
import { checkPorts } from './ports.ts';
import { prepareDatabase } from './prepare-database.ts';
import { keepRunning } from './restarting-process.ts';
import { roles, startRole } from './role-process.ts';
import { provisionSandbox } from './sandbox.ts';
import { welcome } from './welcome.ts';

/**
 * Brings up the whole service and keeps it up: the embedded database unless there is another, then
 * one API and one worker process. Returns when told to stop and everything has ended; throws, with
 * nothing left running, if it cannot start.
 */
export async function superviseAll(
  config: Config,
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  using _dataDir = await takeDataDir(config.dataDir);
  await checkPorts(config);
  const adminToken = await readOrMakeAdminToken(config.dataDir, config.adminToken);
  const log = createLogger({ level: config.logLevel, role: 'supervisor', secrets: [adminToken] });
  for (const setting of config.unknownSettings) log.warn({ setting }, 'not a setting of Tributary');

  // Disposed of in the opposite order: first those who use the database, then the database.
  await using running = new AsyncDisposableStack();
  let databaseUrl = config.databaseUrl;
  if (databaseUrl === null) {
    const start = () => startEmbeddedServer(config.dataDir);
    const database = running.use(await keepRunning('database', start, log));
    databaseUrl = database.first.url;
  }
  const serving: ServingConfig = { ...config, databaseUrl };
  const sealing = createSealing(await readOrMakeSecretKeys(config.dataDir, config.secretKeys));
  await prepareDatabase(serving, sealing);
  const issuesCredentials = config.objects.kind === 'disk';
  const sandbox = await provisionSandbox(databaseOf(serving), sealing, issuesCredentials);

  const roleEnv = {
    ...env,
    DATABASE_URL: databaseUrl,
    // Compiled code is kept for the next start, which takes a third less time for it.
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? join(config.dataDir, 'compile-cache'),
  };
  const kept = await Promise.allSettled(
    roles.map((role) => keepRunning(role, () => startRole(role, roleEnv), log)),
  );
  for (const outcome of kept) if (outcome.status === 'fulfilled') running.use(outcome.value);
  // Ctrl-C while they start ends them before they can say anything; that is no failure.
  if (signal.aborted) return;
  for (const outcome of kept) if (outcome.status === 'rejected') throw outcome.reason;

  process.stdout.write(welcome(config, sandbox));
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  log.info('stopping');
}
