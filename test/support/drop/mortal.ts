import type { SyncDependencies } from '../../../src/drop/sync.ts';

/** The process died. Nothing that it tries afterwards has an effect. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** Calls that change something outside of the process, or make DROP change. */
const effects =
  /^(beginDownload|record|forget|endSession|postpone|request|hasten|release|addAmendment|put|suppress$|lift|send|download)/;

/**
 * Dependencies of a process that may die right after an effect. `after` gets the name of each effect, with
 * the states and the operation that it names. If the process dies, `after` throws `Killed` or never returns.
 */
export function mortal(deps: SyncDependencies, after: (effect: string) => void): SyncDependencies {
  let isDead = false;

  function guarded<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, name, receiver) {
        const value: unknown = Reflect.get(object, name, receiver);
        if (typeof value !== 'function' || typeof name !== 'string') return value;
        return (...args: unknown[]) => {
          if (isDead) throw new Killed();
          const result: unknown = value.apply(object, args);
          return effects.test(name) ? afterwards(name, args, result) : result;
        };
      },
    });
  }

  async function afterwards(name: string, args: unknown[], result: unknown): Promise<unknown> {
    const outcome = await result;
    const words = args.filter((arg) => typeof arg === 'string' && /^[a-z]+$/.test(arg));
    try {
      after([name, ...words].join(' '));
    } catch (error) {
      isDead = true;
      throw error;
    }
    return outcome;
  }

  const { records } = deps;
  return {
    ...deps,
    records: {
      dropCycles: guarded(records.dropCycles),
      dropFiles: guarded(records.dropFiles),
      dropSchedule: guarded(records.dropSchedule),
      unlessLocked: records.unlessLocked,
      refuseNewerSchema: records.refuseNewerSchema,
    },
    store: guarded(deps.store),
    suppressions: guarded(deps.suppressions),
    client: deps.client && guarded(deps.client),
  };
}
