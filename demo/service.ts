import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type TributaryClient } from '../src/client/client.ts';
import { adminTokenFile, type Config } from '../src/config/config.ts';
import { ConfigError, type Environment } from '../src/config/settings.ts';

export interface DemoService extends AsyncDisposable {
  /** The API, in the operator's name. */
  readonly operator: TributaryClient;
  /** The API, in the name of a partner, and for a customer if it has a token for that. */
  as(apiKey: string, userToken?: string): TributaryClient;
  /** Rejects if the service ends by itself. */
  readonly lost: Promise<never>;
}

/** The service as `npm start` runs it, ready to answer. Its log goes into its data dir. */
export async function startDemoService(config: Config, env: Environment): Promise<DemoService> {
  const logFile = join(config.dataDir, 'service.log');
  await using log = await open(logFile, 'a', 0o600);
  const child = spawn(process.execPath, ['src/process/main.ts'], {
    cwd: resolve(import.meta.dirname, '..'),
    // Under npm's own name for it the service watches its parent, and ends when that is killed.
    env: { ...env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'ignore', log.fd],
  });
  const exited = once(child, 'exit');
  const lost = exited.then(async () => {
    throw new ConfigError(`the service ended: ${await reasonIn(logFile)}`);
  });
  // Whoever waits for it is told; that nobody does is no failure of its own.
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

/** What it said when it could not go on; its log is not for everybody to read. */
async function reasonIn(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return /^tributary: (.+)/.exec(lines.at(-1) ?? '')?.[1] ?? `see ${file}`;
}
