import type { ChildProcess } from 'node:child_process';
import type { ReadDigests, Suppressions } from '../../../src/drop/suppressions.ts';

/** Suppressions of the parent process, so that they outlive the one that is killed. */

interface Question {
  readonly id: number;
  readonly verb:
    | 'suppress'
    | 'isMatched'
    | 'among'
    | 'foundVersion'
    | 'isRemoved'
    | 'isGone'
    | 'lift';
  readonly version?: number;
  /** Digests in Base64. */
  readonly digests?: string;
}

interface Reply {
  readonly id: number;
  readonly result: unknown;
}

export function serveSuppressions(child: ChildProcess, suppressions: Suppressions): void {
  const { signal } = new AbortController();
  child.on('message', async (message) => {
    const { id, verb, version = 0, digests = '' } = message as Question;
    const bytes = Buffer.from(digests, 'base64');
    async function* batches() {
      yield bytes;
    }
    const result = await answer();
    // A process that was killed waits for nothing.
    if (child.connected) child.send({ id, result } satisfies Reply, () => {});

    async function answer(): Promise<unknown> {
      switch (verb) {
        case 'suppress':
          return suppressions.suppress(batches, signal);
        case 'lift':
          return suppressions.lift(batches, signal);
        case 'isMatched':
          return suppressions.isMatched(version);
        case 'foundVersion':
          return suppressions.foundVersion();
        case 'isRemoved':
          return suppressions.isRemoved(version);
        case 'isGone':
          return suppressions.isGone(new Date(version));
        case 'among': {
          const [matches] = await Array.fromAsync(suppressions.readMatches(signal));
          return [...(await matches!.among(bytes))];
        }
      }
    }
  });
}

/** For the child process. */
export function remoteSuppressions(): Suppressions {
  const waiting = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  process.on('message', (message) => {
    const { id, result } = message as Reply;
    waiting.get(id)?.(result);
  });

  function ask<T>(question: Omit<Question, 'id'>): Promise<T> {
    lastId += 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(lastId, resolve);
    process.send!({ id: lastId, ...question });
    return promise as Promise<T>;
  }

  return {
    suppress: async (digests) => ask({ verb: 'suppress', digests: await together(digests) }),
    lift: async (digests) => ask({ verb: 'lift', digests: await together(digests) }),
    isMatched: (version) => ask({ verb: 'isMatched', version }),
    foundVersion: () => ask({ verb: 'foundVersion' }),
    isRemoved: (version) => ask({ verb: 'isRemoved', version }),
    isGone: (removedAt) => ask({ verb: 'isGone', version: removedAt.getTime() }),
    async *readMatches() {
      yield {
        among: async (digests) =>
          Uint8Array.from(
            await ask<number[]>({
              verb: 'among',
              digests: Buffer.from(digests).toString('base64'),
            }),
          ),
      };
    },
  };
}

async function together(digests: ReadDigests): Promise<string> {
  const batches: Uint8Array[] = [];
  for await (const batch of digests()) batches.push(batch);
  return Buffer.concat(batches).toString('base64');
}
