import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../../src/records/database/embedded/server.ts';

/** A PostgreSQL for one test, which may stop and restart it. */
export interface OutsidePostgres extends AsyncDisposable {
  /** The same after every start. */
  readonly url: string;
  /** Ends all sessions, as an operator's restart does. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startOutsidePostgres(): Promise<OutsidePostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-outside-'));
  // Under root the server runs as another user, who needs access to the folder.
  await chmod(folder, 0o711);
  // Tests stop the server but not its machine, so nothing has to be synced.
  const start = () => startEmbeddedServer(folder, { fsync: 'off', full_page_writes: 'off' });
  let server = await start();
  return {
    url: server.url,
    stop: () => server.stop(),
    async start() {
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
