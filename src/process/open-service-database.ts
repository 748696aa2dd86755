import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { lockDataDir } from '../data-dir/data-dir.ts';
import { startEmbeddedServer } from '../records/database/embedded/server.ts';

/** Whether the settings name a service that was started before. */
export async function hasService({ dataDir, databaseUrl }: Config): Promise<boolean> {
  if (databaseUrl !== null) return true;
  return (await stat(join(dataDir, 'installation')).catch(() => null)) !== null;
}

/**
 * The URL of the service's database: that of the settings, or that of the embedded server, which is started
 * for this and stopped with `resources`. Throws if a service uses the data dir.
 */
export async function openServiceDatabase(
  config: Config,
  resources: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<string> {
  if (!(await hasService(config))) {
    throw new ConfigError(
      `TRIBUTARY_DATA_DIR ${config.dataDir} holds no service: set the data dir of the service`,
    );
  }
  if (config.databaseUrl !== null) return config.databaseUrl;
  resources.use(await lockDataDir(config.dataDir));
  const server = await startEmbeddedServer(config.dataDir, {}, signal);
  resources.defer(() => server.stop());
  return server.url;
}
