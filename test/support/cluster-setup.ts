import type { TestProject } from 'vitest/node';
import { startClickhouseCluster } from './clickhouse-cluster.ts';
import type {} from './provided.ts';
import { startSwift } from './swift-server.ts';

/** The other servers, beside PostgreSQL, that the services of a project share. */
export default async function setup(project: TestProject) {
  await using starting = new AsyncDisposableStack();
  const [cluster, swift] = await Promise.allSettled([startClickhouseCluster(), startSwift()]);
  for (const server of [cluster, swift]) {
    if (server.status === 'fulfilled') starting.use(server.value);
  }
  if (cluster.status === 'rejected') throw cluster.reason;
  if (swift.status === 'rejected') throw swift.reason;
  const { endpoint, region, accessKeyId, secretAccessKey, partners } = swift.value;
  project.provide('outside', {
    warehouse: cluster.value.setting,
    storage: { endpoint, region, partners, service: { accessKeyId, secretAccessKey } },
  });
  const running = starting.move();
  return () => running.disposeAsync();
}
