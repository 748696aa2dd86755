import { parentPort, type Transferable } from 'node:worker_threads';
import { codeOf, messageOf } from '../domain/errors.ts';

/** The tasks of a thread by name. Argument and result are copied between threads. */
// biome-ignore lint/suspicious/noExplicitAny: the only type that every task's argument is assignable to
export type Tasks = Readonly<Record<string, (input: any) => unknown>>;

export interface Call {
  readonly name: string;
  readonly input: unknown;
}

export type Answer = { readonly output: unknown } | { readonly failure: TaskFailure };

export interface TaskFailure {
  readonly message: string;
  readonly code: string | undefined;
  readonly stack: string | undefined;
  /** The `detail` of the error, if it has one. */
  readonly detail: unknown;
}

const moved = new WeakMap<object, readonly Transferable[]>();

/** Moves these objects with a task's result instead of copying them. */
export function moving<T extends object>(output: T, transfer: readonly Transferable[]): T {
  moved.set(output, transfer);
  return output;
}

/** Called once by the program of a thread. */
export function serveTasks(tasks: Tasks): void {
  async function serve({ name, input }: Call): Promise<void> {
    try {
      const output = await tasks[name]?.(input);
      const transfer =
        typeof output === 'object' && output !== null ? moved.get(output) : undefined;
      parentPort?.postMessage({ output } satisfies Answer, transfer ?? []);
    } catch (error) {
      const stack = error instanceof Error ? error.stack : undefined;
      const detail = error instanceof Error && 'detail' in error ? error.detail : undefined;
      const failure = { message: messageOf(error), code: codeOf(error), stack, detail };
      parentPort?.postMessage({ failure } satisfies Answer);
    }
  }

  let last = Promise.resolve();
  parentPort?.on('message', (call: Call) => {
    // One at a time, because the pool expects the answers in the order of the calls.
    last = last.then(() => serve(call));
  });
}
