import { once } from 'node:events';
import { createServer } from 'node:net';

// Outside of the range from which the kernel gives ports to whoever asks for any, outgoing
// connections among them: one of those could take the port before its owner listens on it.
const lowest = 20_000;
const count = 10_000;
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
