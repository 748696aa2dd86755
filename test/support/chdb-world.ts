import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from 'chdb';
import type { Records } from '../../src/records/records.ts';
import { warehouseOn } from '../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import { clusterOf } from '../../src/warehouse/clickhouse/cluster/cluster.ts';
import { migrateServers } from '../../src/warehouse/clickhouse/cluster/migrate.ts';
import type { Replicas } from '../../src/warehouse/clickhouse/cluster/replicas.ts';
import type { Server } from '../../src/warehouse/clickhouse/cluster/server.ts';
import { testLoading } from './clickhouse-world.ts';
import { freshRecords } from './database.ts';

/** Runs the engine's SQL in a chDB session, as on a single server. */
export async function openChdbWorld(session: Session, database: string) {
  await using setup = new AsyncDisposableStack();
  const { records } = setup.use(await freshRecords());
  const { server, replicas } = await createChdbServer(session, database, records);
  setup.defer(async () => {
    await session.queryAsync(`drop database ${database}`);
  });
  const options = {
    graceSeconds: 0,
    devicesPerShard: 10_000,
    loading: testLoading,
    profiledFrom: 2,
  };
  const open = (given: Records) => warehouseOn(replicas, { ...options, records: given });
  const warehouse = setup.use(open(records));
  const resources = setup.move();
  return {
    warehouse,
    records,
    server,
    reopen: async (given: Records) => open(given),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A new database of the session, as the only server of a cluster. */
export async function createChdbServer(session: Session, database: string, records: Records) {
  await session.queryAsync(`create database ${database}`);
  const server = sessionServer(session, database);
  const installationId = await records.installation.identify();
  const layout = {
    ...{ database, cluster: null, shards: 1, isReplicated: false },
    ...{ installationId, place: undefined },
  };
  await migrateServers([{ server, shard: 0 }], layout, new AbortController().signal);
  return { server, replicas: replicasOf(server) };
}

/** One query at a time, because a session is one connection that all worlds share. */
function sessionServer(session: Session, database: string): Server {
  let last: Promise<unknown> = Promise.resolve();
  let blocks = 0;

  function query(sql: string, format: string, signal?: AbortSignal) {
    const asked = last.then(async () => {
      signal?.throwIfAborted();
      await session.queryAsync(`use ${database}`);
      return await session.queryAsync(sql, { format });
    });
    last = asked.catch(() => {});
    return asked;
  }

  async function ask(sql: string, signal?: AbortSignal): Promise<string> {
    return (await query(sql, 'TabSeparated', signal)).text();
  }

  return {
    name: 'chdb',
    async select(sql, { signal } = {}) {
      const lines = (await ask(sql, signal)).split('\n').slice(0, -1);
      return lines.map((line) => line.split('\t'));
    },
    async read(sql, take, { signal } = {}) {
      const [, select = '', format] = /^(.+) format (\w+)$/s.exec(sql) ?? [];
      await take((await query(select, format ?? '', signal)).bytes());
    },
    async execute(sql, { signal } = {}) {
      await ask(sql, signal);
    },
    /** A session accepts no data in the Native format, but can read it from files. */
    async insert(sql, chunks, { signal } = {}) {
      const [, into = '', columns = ''] =
        /^(insert into \w+ \((.+)\)) format Native$/.exec(sql) ?? [];
      const file = join(session.path, `block-${++blocks}.native`);
      await writeFile(file, chunks);
      await ask(`${into} select ${columns} from file('${file}', 'Native')`, signal).finally(() =>
        rm(file),
      );
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function replicasOf(server: Server): Replicas {
  const cluster = clusterOf(async () => [server]);
  return {
    cluster: () => cluster,
    use: (work) => work(cluster),
    every: async () => ({ servers: [server], absent: [] }),
    states: async () => [],
    checkReady: () => server.execute('insert into probe values (1)'),
    [Symbol.asyncDispose]: async () => {},
  };
}
