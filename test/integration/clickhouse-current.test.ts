import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatDeviceId } from '../../src/domain/device-id.ts';
import { messageOf } from '../../src/domain/errors.ts';
import type { Run } from '../../src/records/manifest.ts';
import type { Server } from '../../src/warehouse/clickhouse/server.ts';
import { describeWarehouse } from '../contract/warehouse.ts';
import { signal } from '../contract/warehouse-bench.ts';
import { openChdbWorld } from '../support/chdb-world.ts';

type Chdb = typeof import('chdb');

/**
 * ClickHouse as a library, a current one. Its package is there on every machine, the library only where
 * somebody publishes it: for x64. There it has to load; elsewhere the reason is said.
 */
async function loadChdb(): Promise<Chdb | null> {
  try {
    return await import('chdb');
  } catch (error) {
    if (process.arch === 'x64') throw error;
    process.stderr.write(
      `skipping the SQL of the ClickHouse engine on a current ClickHouse: ${messageOf(error)}\n`,
    );
    return null;
  }
}

const chdb = await loadChdb();

describe.skipIf(chdb === null)('on a current ClickHouse', () => {
  let session: InstanceType<Chdb['Session']>;
  let databases = 0;

  beforeAll(() => {
    session = new chdb!.Session();
  });
  afterAll(() => session?.cleanup());

  it('is one that Debian does not have yet', async () => {
    const answer = await session.queryAsync('select version()', { format: 'TabSeparated' });
    expect(Number(answer.text().split('.')[0])).toBeGreaterThanOrEqual(25);
  });

  describeWarehouse('chdb', async () => {
    const world = await openChdbWorld(session, `test_${++databases}`);
    const { warehouse, server } = world;
    return {
      ...world,
      maintenance: {
        compact: () => warehouse.compact({ rewriteAfterSeconds: 0, crowdedAbove: 2 }, signal),
        sweep: () => warehouse.sweep(0),
      },
      readRuns: (runs) => readRuns(server, runs),
    };
  });
});

/** By the ids that the schema says they have. */
async function readRuns(server: Server, runs: readonly Run[]): Promise<string[][]> {
  const sql = 'select run_id, groupArray(hex(device)) from run_device group by run_id';
  const listed = new Map((await server.select(sql)).map(([id, list]) => [id, list]));
  return runs.map(({ file, firstRowGroup }) => {
    const id = BigInt(file.replace('clickhouse-', '')) * 1_048_576n + BigInt(firstRowGroup);
    const devices = listed.get(String(id))?.match(/[0-9A-F]{32}/g) ?? [];
    return devices.map((device) => formatDeviceId(Buffer.from(device, 'hex'))).sort();
  });
}
