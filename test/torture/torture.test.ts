import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { machineHas } from '../support/requirements.ts';

const run = promisify(execFile);
const minutes = 0.5;
/** The same operations and faults in every test run. `npm run torture` chooses a random seed. */
const seed = 590_308;
/** A round that has begun is finished, on any machine. */
const timeout = 15 * 60_000;

/** A failure prints its seed and its history. */
async function torture(engine: string): Promise<void> {
  const argv = ['--engine', engine, '--minutes', String(minutes), '--seed', String(seed)];
  const { stdout, stderr } = await run(process.execPath, ['test/torture/main.ts', ...argv]).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  process.stdout.write(stdout);
  expect(stdout + stderr).toMatch(/\npassed, seed \d+\n$/);
}

// Without them, the disk is not filled and the clock is not set.
machineHas('root', 'libfaketime');

test('half a minute of kills and other faults loses nothing on one machine', { timeout }, () =>
  torture('files'),
);

test.skipIf(!machineHas('clickhouse-server', 'swift'))(
  'half a minute of kills and other faults loses nothing in a cluster',
  { timeout },
  () => torture('shards'),
);
