import { Gauge, Histogram, Registry } from 'prom-client';

/** A request whose response is finished. */
interface FinishedRequest {
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

/** What an API process measures about its requests and the parts that it depends on. */
export interface ApiMetrics {
  readonly registry: Registry;
  requestFinished(request: FinishedRequest & { readonly route: string }): void;
  /** A request to the embedded object store. */
  storageRequestFinished(request: FinishedRequest): void;
}

const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** An upload may take minutes. */
const storageBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600];

/** Both tell for each dependency or ClickHouse replica, by name, whether it can be used. */
export function createApiMetrics(
  dependencies: () => Promise<Readonly<Record<string, boolean>>>,
  replicas: () => Promise<Readonly<Record<string, boolean>>>,
): ApiMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'tributary_http_request_duration_seconds',
    help: 'Duration of requests to the API by route.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const storageRequests = new Histogram({
    name: 'tributary_s3_request_duration_seconds',
    help: 'Duration of requests to the embedded object store.',
    labelNames: ['method', 'status'],
    buckets: storageBuckets,
    registers,
  });
  new Gauge({
    name: 'tributary_dependency_up',
    help: 'Whether the database, the storage and the warehouse answer: 1 or 0.',
    labelNames: ['dependency'],
    registers,
    async collect() {
      for (const [dependency, answers] of Object.entries(await dependencies())) {
        this.set({ dependency }, answers ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'tributary_warehouse_replica_up',
    help: 'Whether a ClickHouse server that has replicas answers and has caught up: 1 or 0.',
    labelNames: ['server'],
    registers,
    async collect() {
      for (const [server, isUp] of Object.entries(await replicas())) {
        this.set({ server }, isUp ? 1 : 0);
      }
    },
  });
  return {
    registry,
    requestFinished: ({ seconds, ...labels }) => requests.observe(labels, seconds),
    storageRequestFinished: ({ seconds, ...labels }) => storageRequests.observe(labels, seconds),
  };
}
