import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from 'chdb';
import type { Records } from '../../src/records/records.ts';
import { warehouseOn } from '../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import type { Cluster } from '../../src/warehouse/clickhouse/cluster/cluster.ts';
import { migrateShards } from '../../src/warehouse/clickhouse/cluster/migrate.ts';
import type { Server } from '../../src/warehouse/clickhouse/cluster/server.ts';
import { freshRecords } from './database.ts';

/** Runs the engine's SQL in a chDB session, as on a single server. */
export async function openChdbWorld(session: Session, database: string) {
  await using setup = new AsyncDisposableStack();
  const { records } = setup.use(await freshRecords());
  await session.queryAsync(`create database ${database}`);
  setup.defer(async () => {
    await session.queryAsync(`drop database ${database}`);
  });
  const server = sessionServer(session, database);
  const installationId = await records.installation.identify();
  const layout = { database, cluster: null, installationId, place: undefined };
  await migrateShards([server], layout, new AbortController().signal);
  const options = {
    graceSeconds: 0,
    devicesPerShard: 10_000,
    rowsPerBlock: 4_000,
    profiledFrom: 2,
  };
  const open = (given: Records) => warehouseOn(clusterOf(server), { ...options, records: given });
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

/** One query at a time, because a session is one connection that all worlds share. */
function sessionServer(session: Session, database: string): Server {
  let last: Promise<unknown> = Promise.resolve();
  let blocks = 0;

  function ask(sql: string, signal?: AbortSignal): Promise<string> {
    const asked = last.then(async () => {
      signal?.throwIfAborted();
      await session.queryAsync(`use ${database}`);
      return (await session.queryAsync(sql, { format: 'TabSeparated' })).text();
    });
    last = asked.catch(() => {});
    return asked;
  }

  return {
    name: 'chdb',
    async select(sql, { signal } = {}) {
      const lines = (await ask(sql, signal)).split('\n').slice(0, -1);
      return lines.map((line) => line.split('\t'));
    },
    async execute(sql, { signal } = {}) {
      await ask(sql, signal);
    },
    /** A session accepts no data in the Native format, but can read it from files. */
    async insert(sql, chunks, { signal } = {}) {
      const [, into = '', columns = ''] =
        /^(insert into \w+ \((.+)\)) format Native$/.exec(sql) ?? [];
      const file = join(session.path, `block-${++blocks}.native`);
      await writeFile(file, Buffer.concat([...chunks]));
      await ask(`${into} select ${columns} from file('${file}', 'Native')`, signal);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function clusterOf(server: Server): Cluster {
  return {
    loadedTable: 'loaded_row',
    allDevices: 'run_device',
    shards: async () => [server],
    onEach: async (work) => [await work(server, 0)],
    async sums(sql, options) {
      const rows = await server.select(sql, options);
      return new Map(rows.map(([key = '', count]) => [key, Number(count)]));
    },
    checkReady: () => server.execute('insert into probe values (1)'),
    [Symbol.asyncDispose]: async () => {},
  };
}
