import type { TestProject } from 'vitest/node';
import { allOf } from './all-of.ts';
import { startClickhouseCluster } from './clickhouse-cluster.ts';
import type {} from './provided.ts';
import { sharedSwift } from './shared-swift.ts';

/** The external servers, besides PostgreSQL, that the services of a project share. */
export default async function setup(project: TestProject) {
  await using starting = new AsyncDisposableStack();
  const { swiftSocket: socket } = project.vitest.getRootProject().getProvidedContext();
  const [cluster, swift] = await allOf(starting, startClickhouseCluster(), sharedSwift(socket));
  const { endpoint, region, accessKeyId, secretAccessKey, partners } = swift;
  project.provide('outside', {
    warehouse: cluster.setting,
    storage: { endpoint, region, partners, service: { accessKeyId, secretAccessKey } },
  });
  const running = starting.move();
  return () => running.disposeAsync();
}
