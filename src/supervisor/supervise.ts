import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, databaseOf, type ServingConfig } from '../config/config.ts';
import { chooseLogFormat, createProcessLogger, warnOfSettings } from '../config/logger.ts';
import type { Environment } from '../config/settings.ts';
import {
  lockDataDir,
  readOrCreateAdminToken,
  readOrCreateSecretKeys,
} from '../data-dir/data-dir.ts';
import { messageOf } from '../domain/errors.ts';
import { unlessAborted } from '../domain/unless-aborted.ts';
import { startEmbeddedServer } from '../records/database/embedded/server.ts';
import { createSealing } from '../records/database/sealing.ts';
import { compileThreads } from './compile-threads.ts';
import { checkPorts } from './ports.ts';
import { prepareDatabase } from './prepare-database.ts';
import { keepRunning } from './restarting-process.ts';
import { roles, startRole } from './role-process.ts';
import { provisionSandbox } from './sandbox.ts';
import type { Shutdown } from './shutdown.ts';
import { welcome } from './welcome.ts';

/**
 * Runs the whole service: the embedded database unless DATABASE_URL is set, one API process and one
 * worker process. Returns when a shutdown is requested, at any time, and all processes have ended. If
 * the start fails, it stops what it has started and throws.
 */
export async function superviseAll(
  config: Config,
  env: Environment,
  shutdown: Shutdown,
): Promise<void> {
  const { requested, forced } = shutdown;
  using _dataDir = await lockDataDir(config.dataDir);
  const adminToken = await readOrCreateAdminToken(config.dataDir, config.adminToken);
  const log = createProcessLogger(config, 'supervisor', adminToken);
  forced.addEventListener('abort', () => {
    log.warn({ reason: messageOf(forced.reason) }, 'killing the processes that still run');
  });

  // Disposed in reverse order: the roles before the database they use.
  await using running = new AsyncDisposableStack();
  try {
    await unlessAborted(checkPorts(config), requested);
    warnOfSettings(config, log);
    await startAll();
    await once(requested, 'abort');
  } catch (error) {
    // Whatever fails after the request is a consequence of it.
    if (!requested.aborted) throw error;
  }
  log.info('stopping');

  async function startAll(): Promise<void> {
    let databaseUrl = config.databaseUrl;
    if (databaseUrl === null) {
      const onRecovery = (progress: string) => log.info({ progress }, 'database is recovering');
      const options = { onRecovery, socketRoot: config.runtimeDir };
      const start = (signal: AbortSignal) =>
        startEmbeddedServer(config.dataDir, {}, signal, options);
      const database = running.use(await keepRunning('database', start, shutdown, log));
      databaseUrl = database.first.url;
    }
    const serving: ServingConfig = { ...config, databaseUrl };
    const sealing = createSealing(await readOrCreateSecretKeys(config.dataDir, config.secretKeys));
    await unlessAborted(prepareDatabase(serving, sealing), requested);
    const issuesCredentials = config.objects.kind === 'disk';
    const sandbox = await unlessAborted(
      provisionSandbox(databaseOf(serving), sealing, issuesCredentials),
      requested,
    );

    const cacheFolder = join(config.dataDir, 'compile-cache');
    const isCacheMissing = env.NODE_COMPILE_CACHE === undefined && !existsSync(cacheFolder);
    const roleEnv = {
      ...env,
      DATABASE_URL: databaseUrl,
      TRIBUTARY_LOG_FORMAT: chooseLogFormat(config.logFormat),
      // The compile cache makes the next start a third faster.
      NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? cacheFolder,
    };
    const started = await Promise.allSettled(
      roles.map((role) =>
        keepRunning(role, (signal) => startRole(role, roleEnv, signal), shutdown, log),
      ),
    );
    const ready = started.filter((outcome) => outcome.status === 'fulfilled');
    // All at once, because together they have as much time as one.
    running.defer(async () => {
      await Promise.all(ready.map(({ value }) => value[Symbol.asyncDispose]()));
    });
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason;
    requested.throwIfAborted();
    process.stdout.write(welcome(config, sandbox));
    if (isCacheMissing) await compileThreads(roleEnv, requested);
  }
}
