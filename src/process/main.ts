import { type Config, readConfig } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { readOrCreateAdminToken } from '../data-dir/data-dir.ts';
import { messageOf } from '../domain/errors.ts';
import { type Role, type RoleReport, roles } from '../supervisor/role-process.ts';
import { createRoleLogger } from './role-logger.ts';
import { serveAll, serveRole } from './serve-role.ts';

/** The time to stop for a process whose supervisor is gone, and therefore cannot kill it. */
const orphanStopMs = 2_500;

/** `node src/process/main.ts` starts the supervisor, which starts `… api` and `… worker`. */
async function main(argument: string | undefined): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  if (argument === undefined) return serveAll(config, process.env);
  const role = [...roles, 'isolated-worker' as const].find((name) => name === argument);
  if (!role) throw new ConfigError(`unknown role ${argument}: use ${roles.join(' or ')}`);
  return serveSupervised(role, config);
}

/** Serves one role until the supervisor stops it or is gone. */
async function serveSupervised(role: Role, config: Config): Promise<void> {
  const shutdown = new AbortController();
  process.on('SIGTERM', () => shutdown.abort());
  process.on('disconnect', () => {
    shutdown.abort();
    setTimeout(() => process.exit(1), orphanStopMs).unref();
  });
  // Ctrl-C reaches the whole process group, but the supervisor decides the order of the shutdown.
  process.on('SIGINT', () => {});

  const { databaseUrl } = config;
  if (databaseUrl === null) throw new ConfigError('DATABASE_URL must be set to run a single role');
  const adminToken = await readOrCreateAdminToken(config.dataDir, config.adminToken);
  const log = createRoleLogger(config, role, adminToken);
  const onReady = () => report({ ready: true });
  await serveRole(role, { ...config, databaseUrl }, log, onReady, shutdown.signal);
}

function report(message: RoleReport): void {
  // The supervisor may be gone. Without a callback, that would be an exception.
  process.send?.(message, () => {});
}

try {
  await main(process.argv[2]);
  process.exit(0);
} catch (error) {
  // The supervisor prints why a supervised process failed.
  if (process.connected) report({ failed: messageOf(error) });
  else process.stderr.write(`tributary: ${messageOf(error)}\n`);
  process.exitCode = 1;
  process.disconnect?.();
}
