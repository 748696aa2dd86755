import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClusterAddress } from '../../src/warehouse/clickhouse/cluster/cluster.ts';
import type { ClickhouseCluster } from './clickhouse-cluster.ts';

const document = new URL('../../docs/scaling.md', import.meta.url);

/** Debian has the client in a package of its own. */
const client = `#!/bin/sh
if [ "$1" = --query ]; then printf %s "$2"; else cat; fi |
  curl -sS --fail --user "$CREDENTIALS" --data-binary @- "$URL"`;

/** The steps that the documentation has for the backup and the restore of a shard, run on every shard. */
export async function openShardSteps({ folders }: ClickhouseCluster, address: ClusterAddress) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-shards-'));
  await writeFile(join(folder, 'clickhouse-client'), client);
  await chmod(join(folder, 'clickhouse-client'), 0o755);
  const text = await readFile(document, 'utf8');
  const [backup = '', restore = ''] = text.match(/(?<= {3}```sh\n) {3}set -e\n[^`]+/g) ?? [];

  async function run(steps: string): Promise<void> {
    for (const [i, files] of folders.entries()) {
      const ofShard = steps
        .replaceAll('tributary', address.database)
        .replaceAll('/var/lib/clickhouse', files)
        .replaceAll('/mnt/backup/shard-1', join(folder, `shard-${i + 1}`));
      const env = {
        PATH: `${folder}:${process.env.PATH}`,
        CREDENTIALS: `${address.username}:${address.password}`,
        URL: address.url.replace('127.0.0.1', `127.0.0.${i + 1}`),
      };
      await promisify(execFile)('sh', ['-c', ofShard], { env });
    }
  }

  return {
    backup: () => run(backup),
    restore: () => run(restore),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
