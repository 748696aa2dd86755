import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import {
  findEmbeddedServer,
  startEmbeddedServer,
} from '../../../src/records/database/embedded/server.ts';
import { onServer } from '../../support/database-server.ts';
import { quickFolder } from '../../support/quick-folder.ts';

const run = promisify(execFile);

/** Many times as long as a log file takes, because a busy machine takes longer. */
const timeoutMs = 4_000;

test('a recovery may take longer than the timeout while it makes progress', async () => {
  const folder = await mkdtemp(join(await quickFolder(), 'tributary-recovery-'));
  await chmod(folder, 0o711);
  try {
    const archive = join(folder, 'archive');
    await mkdir(archive);
    await chmod(archive, 0o777);
    const archived = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
    const home = join(folder, 'postgres');
    await (await startEmbeddedServer(folder)).stop();
    await run('cp', ['-a', home, `${home}.base`]);
    const runtime = join(folder, 'run');
    await mkdir(runtime);
    await chmod(runtime, 0o711);
    const first = await startEmbeddedServer(folder, archived, undefined, { socketRoot: runtime });
    expect(first.url).toContain(encodeURIComponent(runtime));
    expect(await findEmbeddedServer(folder)).toBe(first.url);
    for (let n = 0; n < 9; n++) {
      await onServer(first.url, `create table t${n} ()`);
      await onServer(first.url, 'select pg_switch_wal()');
    }
    await first.stop();
    await rm(home, { recursive: true });
    await rename(`${home}.base`, home);
    const data = join(home, 'data');
    await writeFile(join(data, 'recovery.signal'), '');
    // Each log file takes half a second, all of them take longer than the timeout.
    await appendFile(
      join(data, 'postgresql.auto.conf'),
      `restore_command = 'sleep 0.5; cp ${archive}/%f %p'\n`,
    );
    const seen: string[] = [];
    const before = performance.now();
    const second = await startEmbeddedServer(folder, { hot_standby: 'off' }, undefined, {
      onRecovery: (progress) => seen.push(progress),
      timeoutMs,
    });
    const took = performance.now() - before;
    await second.stop();
    expect(took).toBeGreaterThan(timeoutMs);
    expect(seen.length).toBeGreaterThan(2);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
