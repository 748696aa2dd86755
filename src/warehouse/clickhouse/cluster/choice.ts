import { TributaryError } from '../../../domain/errors.ts';
import { allSettled } from './cluster.ts';
import type { OpenServers } from './open-servers.ts';
import {
  hasCaughtUp,
  type Probe,
  probe,
  quickMs,
  type Replica,
  reasonsOf,
  setAside,
} from './replica.ts';

/** One server of each shard, which this process uses until one of them fails. */
export interface Choice {
  readonly replicas: readonly Replica[];
  readonly isReplicated: boolean;
  readonly madeAt: number;
  /** Keys whose rows the servers were found to hold. */
  readonly held: Set<string>;
}

export interface Choices {
  pick(): Promise<Choice>;
  /** Whether a server was restarted since the choice. It may lack rows until it has fetched them again. */
  findRestarted(choice: Choice): Promise<Replica | undefined>;
}

export function createChoices(open: () => Promise<OpenServers>): Choices {
  let current: Choice | undefined;
  // Processes begin with different replicas, so that all are used.
  const preferred = Math.random();

  async function choose(replicas: readonly Replica[]): Promise<Probe> {
    const { admit } = await open();
    for (const replica of replicas) {
      if (replica.state !== 'up' && replica.retryAt <= performance.now()) {
        void revive(replica, admit);
      }
    }
    let readable: Probe | undefined;
    for (const replica of inOrder(replicas)) {
      const found = await probe(replica, quickMs).catch((error) => {
        setAside(replica, 'down', error);
      });
      if (found && !found.isReadOnly) return found;
      readable ??= found ?? undefined;
    }
    if (readable) return readable;
    // None is up. A replica that is behind may still hold all rows that are needed; that is checked later.
    await Promise.all(
      replicas.map(async (replica) => {
        const answers = await probe(replica).catch(() => undefined);
        if (answers) setAside(replica, 'behind', `${replica.server.name} was slow to answer`);
        else await revive(replica, admit);
      }),
    );
    const best =
      replicas.find(({ state }) => state === 'up') ??
      replicas.find(({ state }) => state === 'behind');
    if (best) return await probe(best);
    throw new TributaryError('unavailable', `The warehouse is unavailable. ${reasonsOf(replicas)}`);
  }

  /** The replicas that are up, first the one that is in use. */
  function inOrder(replicas: readonly Replica[]): Replica[] {
    const up = replicas.filter(({ state }) => state === 'up');
    const first = Math.floor(preferred * up.length);
    const used = up.find((replica) => current?.replicas.includes(replica)) ?? up[first];
    return used ? [used, ...up.filter((replica) => replica !== used)] : [];
  }

  return {
    async pick() {
      const { shards, isReplicated } = await open();
      const madeAt = performance.now();
      if (!isReplicated) {
        current ??= { replicas: shards.flat(), isReplicated, madeAt, held: new Set() };
        return current;
      }
      const found = await allSettled(shards.map(choose));
      const replicas = found.map(({ replica }) => replica);
      const isUsed = replicas.every((replica) => current?.replicas.includes(replica));
      if (current && isUsed && !found.some((each) => isYounger(each, current!))) return current;
      current = { replicas, isReplicated, madeAt, held: new Set() };
      return current;
    },
    async findRestarted(choice) {
      if (!choice.isReplicated) return undefined;
      const found = await allSettled(choice.replicas.map((replica) => probe(replica)));
      return found.find((each) => isYounger(each, choice))?.replica;
    },
  };
}

/** Uptimes are in whole seconds, rounded down, and at least one. */
function isYounger({ uptimeMs }: Probe, { madeAt }: Choice): boolean {
  return uptimeMs <= performance.now() - madeAt;
}

/** Uses a server again if it answers, has its tables, and has caught up. */
export async function revive(replica: Replica, admit: OpenServers['admit']): Promise<void> {
  // Until it has answered or failed, no other call checks it.
  replica.retryAt = Number.POSITIVE_INFINITY;
  try {
    await admit(replica);
    if (await hasCaughtUp(replica)) replica.state = 'up';
    else setAside(replica, 'behind', `${replica.server.name} is catching up`);
  } catch (error) {
    setAside(replica, 'down', error);
  }
}
