import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient, type TributaryClient } from '../src/client/client.ts';
import { adminTokenFile, type Config } from '../src/config/config.ts';
import { ConfigError, type Environment } from '../src/config/settings.ts';

const mainFile = fileURLToPath(new URL('../src/process/main.ts', import.meta.url));

export interface DemoService extends AsyncDisposable {
  /** The API as the operator. */
  readonly operator: TributaryClient;
  /** The API as a partner, and with a user token on behalf of a customer. */
  as(apiKey: string, userToken?: string): TributaryClient;
  /** Rejects if the service exits unexpectedly. */
  readonly lost: Promise<never>;
}

/** Starts the service as `npm start` does and waits until it is ready. Logs to the data dir. */
export async function startDemoService(config: Config, env: Environment): Promise<DemoService> {
  const logFile = join(config.dataDir, 'service.log');
  await using log = await open(logFile, 'a', 0o600);
  const child = spawn(process.execPath, [mainFile], {
    // With this name, as under npm, the service exits when its parent is killed.
    env: { ...env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'ignore', log.fd],
  });
  const exited = once(child, 'exit');
  const lost = exited.then(async () => {
    throw new ConfigError(`the service exited: ${await reasonIn(logFile)}`);
  });
  // Avoids an unhandled rejection while nobody is waiting for it.
  lost.catch(() => {});

  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    await exited;
  }

  try {
    await Promise.race([ready(config.listenUrl), lost]);
    const adminToken = (await readFile(adminTokenFile(config.dataDir), 'utf8')).trim();
    return {
      operator: createClient(config.listenUrl, adminToken),
      as: (apiKey, userToken) => createClient(config.listenUrl, apiKey, userToken),
      lost,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ready(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await sleep(100);
  }
}

/** The last error in the log, or the path of the log. */
async function reasonIn(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return /^tributary: (.+)/.exec(lines.at(-1) ?? '')?.[1] ?? `see ${file}`;
}
