import { type Config, readConfig } from '../config/config.ts';
import { createLogger } from '../config/logger.ts';
import { ConfigError } from '../config/settings.ts';
import { readOrMakeAdminToken } from '../data-dir/data-dir.ts';
import { messageOf } from '../domain/errors.ts';
import { type Role, type RoleReport, roles } from '../supervisor/role-process.ts';
import { superviseAll } from '../supervisor/supervise.ts';
import { serveRole } from './serve-role.ts';
import { whenToldToStop } from './shutdown-signal.ts';

/** `node src/process/main.ts` runs everything; `… api` and `… worker` are the processes it supervises. */
async function main(argument: string | undefined): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  if (argument === undefined) {
    const stop = new AbortController();
    whenToldToStop(config, () => stop.abort());
    return superviseAll(config, process.env, stop.signal);
  }
  const role = roles.find((name) => name === argument);
  if (!role) throw new ConfigError(`there is no role ${argument}, only ${roles.join(' and ')}`);
  return serve(role, config);
}

/** One role, told by the supervisor when to stop; it also stops when the supervisor is gone. */
async function serve(role: Role, config: Config): Promise<void> {
  const stopping = Promise.withResolvers<void>();
  process.on('SIGTERM', () => stopping.resolve());
  process.on('disconnect', () => stopping.resolve());
  // Ctrl-C reaches the whole group; the supervisor decides in which order things stop.
  process.on('SIGINT', () => {});

  const { databaseUrl } = config;
  if (databaseUrl === null) throw new ConfigError('DATABASE_URL is needed to run a single role');
  const adminToken = await readOrMakeAdminToken(config.dataDir, config.adminToken);
  const log = createLogger({ level: config.logLevel, role, secrets: [adminToken] });
  const onReady = () => report({ ready: true });
  await serveRole(role, { ...config, databaseUrl }, log, onReady, stopping.promise);
}

function report(message: RoleReport): void {
  process.send?.(message);
}

try {
  await main(process.argv[2]);
  process.exit(0);
} catch (error) {
  // A supervised process leaves it to its supervisor to say why.
  if (process.connected) report({ failed: messageOf(error) });
  else process.stderr.write(`tributary: ${messageOf(error)}\n`);
  process.exitCode = 1;
  process.disconnect?.();
}
