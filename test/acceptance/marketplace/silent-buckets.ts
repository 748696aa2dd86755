import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Partner buckets that do not respond until they are released, so a reader waits without using CPU. */
export interface SilentBuckets extends AsyncDisposable {
  readonly region: string;
  readonly endpoint: string;
  /** Refuses all requests to that bucket from now on. */
  refuse(bucket: string): void;
}

export async function startSilentBuckets(): Promise<SilentBuckets> {
  const refusing = new Set<string>();
  const waiting = new Map<ServerResponse, string>();

  function settle(): void {
    for (const [answer, bucket] of waiting) {
      if (!refusing.has(bucket)) continue;
      answer.writeHead(403).end();
      waiting.delete(answer);
    }
  }

  const server = createServer(({ url = '' }, answer) => {
    waiting.set(answer, url.split(/[/?]/, 2)[1] ?? '');
    answer.on('close', () => waiting.delete(answer));
    settle();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    region: 'silent-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse(bucket) {
      refusing.add(bucket);
      settle();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
