import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A way to a store that is so slow that one can watch an import read from it. */
export interface SlowStorage extends AsyncDisposable {
  readonly endpoint: string;
  /** Where the store is: known only once it runs. */
  leadTo(target: string): void;
  /** Lets objects through at so many bytes a second; all at once if left out. */
  pace(bytesPerSecond?: number): void;
}

const pauseMs = 100;

export async function startSlowStorage(): Promise<SlowStorage> {
  let target: URL | undefined;
  let bytesPerSecond = Number.POSITIVE_INFINITY;

  async function* slowly(body: IncomingMessage): AsyncGenerator<Buffer> {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        const size = Math.ceil((bytesPerSecond * pauseMs) / 1_000);
        yield chunk.subarray(at, at + size);
        at += size;
        if (Number.isFinite(bytesPerSecond)) await sleep(pauseMs);
      }
    }
  }

  function carry(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method, url: path, headers } = incoming;
    const { hostname, port } = target!;
    // The host stays the one that was signed.
    const outgoing = request({ hostname, port, method, path, headers, agent: false });
    outgoing.on('response', (upstream) => {
      answer.writeHead(upstream.statusCode ?? 502, upstream.headers);
      // A reader that has gone away is no fault of this one's.
      pipeline(Readable.from(slowly(upstream)), answer).catch(() => {});
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  const server = createServer(carry).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url) {
      target = new URL(url);
    },
    pace(rate = Number.POSITIVE_INFINITY) {
      bytesPerSecond = rate;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
