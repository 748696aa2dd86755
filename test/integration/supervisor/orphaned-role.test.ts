import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const main = resolve(import.meta.dirname, '../../../src/process/main.ts');
/** Starts a role as the supervisor does. */
const supervisor = `
  const { fork } = require('node:child_process');
  fork(process.argv[1], ['worker'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  process.stdout.write('started');
`;

test('a role whose supervisor is killed before it is ready stops without an exception', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-orphan-'));
  // A worker starts without its database, which it would wait for.
  const killed = spawn(process.execPath, ['--eval', supervisor, main], {
    env: {
      ...process.env,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
      TRIBUTARY_DATA_DIR: dataDir,
      TRIBUTARY_SECRET_KEY: 'a'.repeat(64),
      TRIBUTARY_ADMIN_TOKEN: 'b'.repeat(64),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Ends with the role.
  const logged = text(killed.stderr);
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  expect(await logged).not.toContain('ERR_IPC_CHANNEL_CLOSED');
  await rm(dataDir, { recursive: true });
}, 60_000);
