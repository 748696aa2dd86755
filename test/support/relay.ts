import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A relay to the database that can be cut and restored, as if the server went away. */
export interface Relay extends AsyncDisposable {
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Drops all traffic from now on without closing connections. */
  hold(): void;
}

const socketName = '.s.PGSQL.5432';

export async function startRelay(databaseUrl: string): Promise<Relay> {
  const target = new URL(databaseUrl);
  const targetSocket = join(target.searchParams.get('host')!, socketName);
  const folder = await mkdtemp(join(tmpdir(), 'relay-'));
  target.searchParams.set('host', folder);
  const open = new Set<Socket>();
  let server: Server | undefined;
  let holding = false;

  function carry(client: Socket): void {
    const upstream = connect(targetSocket);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    if (!holding) client.pipe(upstream).pipe(client);
  }

  const relay: Relay = {
    url: target.href,
    async cut() {
      const closed = server && once(server, 'close');
      server?.close();
      server = undefined;
      for (const socket of open) socket.destroy();
      await closed;
    },
    async mend() {
      holding = false;
      server = createServer(carry).listen(join(folder, socketName));
      await once(server, 'listening');
    },
    hold() {
      holding = true;
      for (const socket of open) socket.unpipe();
    },
    async [Symbol.asyncDispose]() {
      await relay.cut();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await relay.mend();
  return relay;
}
