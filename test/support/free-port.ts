import { once } from 'node:events';
import { createServer } from 'node:net';

// Outside the kernel's range for ephemeral ports: an outgoing connection could take such a port
// before its owner listens on it. Each test process has its own range, so two never collide.
const count = 2_000;
const lowest = 20_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 6) * count;
const handedOut = new Set<number>();

/** A free port that was not returned before in this process. */
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
