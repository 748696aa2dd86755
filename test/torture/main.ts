import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { isClusterKind } from '../support/clickhouse-cluster.ts';
import { createHistory } from './history.ts';
import { torture } from './torture.ts';
import { startClusterWorld } from './world/cluster-world.ts';
import { startFilesWorld } from './world/files-world.ts';
import type { World } from './world/world.ts';

const usage =
  'usage: npm run torture -- [--minutes 10] [--seed 1] [--engine files|server|shards|replicas] [--move files|server|shards|replicas] [--without name] [--backups]';

/** Undefined if there is no such world. */
function startOf(engine: string, move: string | undefined): (() => Promise<World>) | undefined {
  const isOther = move === undefined || isClusterKind(move);
  if (engine === 'files') return isOther ? () => startFilesWorld(move) : undefined;
  if (!isClusterKind(engine)) return undefined;
  return isOther || move === 'files' ? () => startClusterWorld(engine, move) : undefined;
}

/** Returns the exit code. */
async function main(stopped: AbortSignal): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      engine: { type: 'string', default: 'files' },
      move: { type: 'string' },
      backups: { type: 'boolean', default: false },
      without: { type: 'string', multiple: true, default: [] },
    },
  });
  const { backups, engine, move, without } = values;
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  const start = startOf(engine, move);
  if (!(minutes > 0) || !Number.isSafeInteger(seed) || !start) {
    print(usage);
    return 1;
  }
  const moved = move ? `, moves to ${move} and back` : '';
  print(`seed ${seed}, engine ${engine}${moved}, ${minutes} minutes`);
  const history = createHistory(print);
  await using world = await start();
  print(`data and logs are in ${world.folder}`);
  for (const fault of world.impossible) print(`left out: ${fault}`);
  history.writeTo(join(world.folder, 'history.txt'));
  try {
    const moves = move !== undefined;
    await torture(world, { seed, minutes, without, backups, moves, stopped }, history);
    await world.remove();
    print(history.summary());
    print(`passed, seed ${seed}`);
    return 0;
  } catch (error) {
    history.note(inspect(error, { depth: 5 }));
    print(history.lastRound().join('\n'));
    print(history.summary());
    print(
      `FAILED with seed ${seed}. The data, the logs and the whole history are in ${world.folder}`,
    );
    return 1;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());
process.exitCode = await main(stopping.signal);
