import { once } from 'node:events';
import { createServer } from 'node:net';

// Outside of the range from which the kernel gives ports to whoever asks for any, outgoing
// connections among them: one of those could take the port before its owner listens on it.
// Each of the processes that run tests has a range of its own, or two could choose the same.
const count = 2_000;
const lowest = 20_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 5) * count;
const handedOut = new Set<number>();

/** A port to listen on that nobody else in this process was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * count);
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
