import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Server } from '../../src/warehouse/clickhouse/cluster/server.ts';
import { createShardFinder } from '../../src/warehouse/clickhouse/load/tasks/shard-of-device.ts';

/** Checks that a worker and a server compute the same shard for devices. */
export async function expectSameShards(server: Pick<Server, 'select'>): Promise<void> {
  const devices = Array.from({ length: 500 }, () => randomBytes(16));
  devices.push(Buffer.alloc(16), Buffer.alloc(16, 0xff));
  const bytes = Buffer.concat(devices);
  const words = new Uint32Array(new Uint8Array(bytes).buffer);
  const find = createShardFinder();
  for (const shards of [1, 2, 3, 18, 1_000]) {
    const texts = devices.map((device) => `'${device.toString('hex')}'`);
    const rows = await server.select(
      `select sipHash64(toFixedString(unhex(arrayJoin([${texts.join(', ')}])), 16)) % ${shards}`,
    );
    expect([...find(words, shards)]).toEqual(rows.map(([shard]) => Number(shard)));
  }
}
