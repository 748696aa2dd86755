import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../../../src/domain/errors.ts';
import { describeWarehouse } from '../../../contract/warehouse.ts';
import { signal } from '../../../contract/warehouse-bench.ts';
import { openChdbWorld } from '../../../support/chdb-world.ts';
import { readClickhouseRuns } from '../../../support/clickhouse-runs.ts';
import { expectSameShards } from '../../../support/shards-of-devices.ts';

type Chdb = typeof import('chdb');

/**
 * A current ClickHouse as a library. It is published for x64 only and must load there; on other
 * machines the tests are skipped and the reason is printed.
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

  it('is newer than the version in Debian', async () => {
    const answer = await session.queryAsync('select version()', { format: 'TabSeparated' });
    expect(Number(answer.text().split('.')[0])).toBeGreaterThanOrEqual(25);
  });

  it('selects the same shard for a device as a worker', async () => {
    await expectSameShards({
      async select(sql) {
        const answer = await session.queryAsync(sql, { format: 'TabSeparated' });
        return answer
          .text()
          .trim()
          .split('\n')
          .map((line) => [line]);
      },
    });
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
      readRuns: (runs) => readClickhouseRuns([server], runs),
    };
  });
});
