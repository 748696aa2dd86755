import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A proxy to a store, slow enough to watch the progress of an import. */
export interface SlowStorage extends AsyncDisposable {
  readonly endpoint: string;
  /** Sets the address of the store, which is known only once it runs. */
  setTarget(target: string): void;
  /** Limits the bytes per second; unlimited if omitted. */
  limitRate(bytesPerSecond?: number): void;
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
    // Keeps the Host header, which is part of the signature.
    const outgoing = request({ hostname, port, method, path, headers, agent: false });
    outgoing.on('response', (upstream) => {
      answer.writeHead(upstream.statusCode ?? 502, upstream.headers);
      // Ignore a reader that has disconnected.
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
    setTarget(url) {
      target = new URL(url);
    },
    limitRate(rate = Number.POSITIVE_INFINITY) {
      bytesPerSecond = rate;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
