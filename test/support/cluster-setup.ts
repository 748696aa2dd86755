import type { TestProject } from 'vitest/node';
import { isClusterKind, startClickhouseCluster } from './clickhouse-cluster.ts';
import type {} from './provided.ts';
import { sharedSwift } from './shared-swift.ts';

/**
 * The places of the device sets: `files`, or kinds of clusters. With several, for example
 * `TESTED_WAREHOUSE=files,replicas`, the device sets keep moving between them.
 */
const places = (process.env.TESTED_WAREHOUSE ?? 'shards').split(',');

/** The external servers, besides PostgreSQL, that the services of a project share. */
export default async function setup(project: TestProject) {
  await using starting = new AsyncDisposableStack();
  const { swiftSocket: socket } = project.vitest.getRootProject().getProvidedContext();
  const swift = starting.use(await sharedSwift(socket));
  const warehouses = await Promise.all(
    places.map(async (place) => {
      if (place === 'files') return place;
      if (!isClusterKind(place)) {
        throw new Error(`TESTED_WAREHOUSE is "${place}". Use files, server, shards or replicas.`);
      }
      return starting.use(await startClickhouseCluster(place)).setting;
    }),
  );
  const { endpoint, region, accessKeyId, secretAccessKey, partners } = swift;
  project.provide('outside', {
    warehouses,
    storage: { endpoint, region, partners, service: { accessKeyId, secretAccessKey } },
  });
  const running = starting.move();
  return () => running.disposeAsync();
}
