import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';

/** A fault of one response: at a byte of its body, or as a whole. */
export type Fault =
  | { readonly kind: 'cut' | 'stall' | 'damage'; readonly at: number }
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Record<string, string> }
  | { readonly kind: 'silence' };

/** A proxy to an HTTP server that injects network faults. */
export interface FaultyProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** The faults of the next responses, one each; null for none. Later responses have no fault. */
  readonly faults: (Fault | null)[];
  /** The requests received. */
  readonly requests: { method: string; headers: IncomingHttpHeaders }[];
  /** Applies this fault to all responses from now on and aborts current ones; null for no fault. */
  answerAll(status: number | 'silence' | null): void;
  /** Stops bodies after this many bytes until they are released. */
  holdBodies(after: number): void;
  /** The number of stopped bodies. */
  heldBodies(): number;
  letBodiesGo(): void;
}

export async function startFaultyProxy(
  target: string,
  { host, port: ownPort } = { host: '127.0.0.1', port: 0 },
): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const faults: FaultyProxy['faults'] = [];
  const requests: FaultyProxy['requests'] = [];
  const underWay = new Set<ServerResponse>();
  const held = new Set<IncomingMessage>();
  let statusOfAll: number | 'silence' | null = null;
  let holdAfter = Number.POSITIVE_INFINITY;

  function handle(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url = '', headers } = incoming;
    requests.push({ method, headers });
    if (statusOfAll === 'silence') return;
    if (statusOfAll !== null) {
      incoming.resume();
      answer.writeHead(statusOfAll).end();
      return;
    }
    const fault = faults.shift() ?? null;
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'answer') {
      incoming.resume();
      answer.writeHead(fault.status, fault.headers).end();
      return;
    }
    // Keeps the Host header, which is part of the signature.
    const outgoing = request({ hostname, port, method, path: url, headers, agent: false });
    outgoing.on('continue', () => answer.writeContinue());
    outgoing.on('response', (upstream) => {
      carry(upstream, answer, fault);
      hold(upstream);
    });
    // A server that returns an error may close the connection without reading the body.
    outgoing.on('error', () => answer.headersSent || answer.destroy());
    underWay.add(answer);
    answer.on('close', () => {
      underWay.delete(answer);
      outgoing.destroy();
    });
    incoming.pipe(outgoing);
  }

  function hold(upstream: IncomingMessage): void {
    let came = 0;
    upstream.on('data', (chunk: Buffer) => {
      came += chunk.length;
      if (came < holdAfter) return;
      upstream.pause();
      held.add(upstream);
    });
    upstream.on('close', () => held.delete(upstream));
  }

  const server = createServer(handle).on('checkContinue', handle);
  server.listen(ownPort, host);
  await once(server, 'listening');

  return {
    endpoint: `http://${host}:${(server.address() as { port: number }).port}`,
    faults,
    requests,
    answerAll(status) {
      statusOfAll = status;
      if (status !== null) for (const answer of underWay) answer.destroy();
    },
    holdBodies(after) {
      holdAfter = after;
    },
    heldBodies: () => held.size,
    letBodiesGo() {
      holdAfter = Number.POSITIVE_INFINITY;
      for (const upstream of held) upstream.resume();
      held.clear();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type BodyFault = Extract<Fault, { at: number }>;

function carry(upstream: IncomingMessage, answer: ServerResponse, fault: BodyFault | null): void {
  let position = 0;
  answer.writeHead(upstream.statusCode ?? 502, upstream.headers);
  upstream.on('data', (chunk: Buffer) => {
    const at = (fault?.at ?? Number.POSITIVE_INFINITY) - position;
    position += chunk.length;
    if (at < 0 || at >= chunk.length) {
      answer.write(chunk);
      return;
    }
    if (fault?.kind === 'damage') {
      chunk[at]! ^= 1;
      answer.write(chunk);
      return;
    }
    upstream.removeAllListeners();
    answer.write(chunk.subarray(0, at), () => {
      if (fault?.kind === 'cut') answer.destroy();
    });
  });
  upstream.on('end', () => answer.end());
  upstream.on('error', () => answer.destroy());
}
