import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../../src/records/database/embedded/server.ts';

/** A PostgreSQL that is nobody else's, so that a test may stop it and start it again. */
export interface OutsidePostgres extends AsyncDisposable {
  /** The same after every start. */
  readonly url: string;
  /** Ends all sessions, as an operator's restart does. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startOutsidePostgres(): Promise<OutsidePostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-outside-'));
  // Under root the server has a user of its own, who must be able to pass.
  await chmod(folder, 0o711);
  // It is stopped, but its machine does not fail.
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
