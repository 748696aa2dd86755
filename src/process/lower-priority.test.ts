import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { lowerSessionPriority } from './lower-priority.ts';

const onSocket = 'postgres://tributary@localhost/postgres?host=%2Ftmp%2Ftributary-1';
const lowest = 19;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** A process that shows itself by this name. */
async function processNamed(name: string): Promise<number> {
  const child = spawn('bash', ['-c', `exec -a '${name}' sleep 60`], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  const pid = child.pid!;
  await expect.poll(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain(`${name}\0`);
  return pid;
}

test.runIf(process.platform === 'linux')(
  'only a session of a PostgreSQL on this machine gets the lower priority',
  async () => {
    const [session, other] = [await processNamed('postgres: x'), await processNamed('sleeping')];
    const usual = getPriority();
    lowerSessionPriority(session, 'postgres://tributary@db.example.com/postgres', lowest);
    lowerSessionPriority(other, onSocket, lowest);
    lowerSessionPriority(2 ** 30, onSocket, lowest);
    expect([session, other].map((pid) => getPriority(pid))).toEqual([usual, usual]);
    lowerSessionPriority(session, onSocket, lowest);
    expect(getPriority(session)).toBe(lowest);
  },
);
