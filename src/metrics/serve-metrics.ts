import { createServer } from 'node:http';
import { Registry } from 'prom-client';

/** Metrics in Prometheus's text format, such as a registry. */
export interface MetricsSource {
  metrics(): Promise<string>;
}

/** Shorter than Prometheus's default timeout of a scrape, which is ten seconds. */
const sourceTimeoutMs = 5_000;

/** Serves `/metrics` for Prometheus on a port of its own until disposed. */
export async function serveMetrics(
  sources: readonly MetricsSource[],
  host: string,
  port: number,
): Promise<AsyncDisposable> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end('Not found. Use GET /metrics.\n');
      return;
    }
    const texts = await Promise.all(sources.map(readInTime));
    response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE });
    response.end(texts.join(''));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Without the database, for example, the metrics of the process are still served. */
async function readInTime(source: MetricsSource): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(''), sourceTimeoutMs);
  });
  return Promise.race([source.metrics().catch(() => ''), timeout]).finally(() =>
    clearTimeout(timer),
  );
}
