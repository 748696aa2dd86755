import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { statusBytes } from './process-status.ts';
import type { Answer, Call, Calls } from './serve-calls.ts';

/** A side of a comparison in a process of its own, so that neither pays for the other's memory. */
export interface Program<T extends Calls> extends AsyncDisposable {
  readonly pid: number;
  /** One at a time. */
  call<Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
  ): Promise<Awaited<ReturnType<T[Name]>>>;
  /** The most memory it ever had, as the kernel saw it (VmHWM). */
  peakBytes(): Promise<number>;
}

/** `file` calls `serveCalls` with the calls that `T` describes; its own arguments are `args`. */
export async function startProgram<T extends Calls>(
  file: URL,
  args: readonly string[] = [],
  nodeOptions: readonly string[] = [],
): Promise<Program<T>> {
  const child = fork(fileURLToPath(file), args, {
    execArgv: [...nodeOptions],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const ended = exited.then((): never => {
    throw new Error(`${file.pathname} ended by itself`);
  });
  ended.catch(() => {});

  async function answer(): Promise<Answer> {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message as Answer;
  }

  await answer();
  const pid = child.pid as number;
  return {
    pid,
    async call(name, input) {
      const answered = answer();
      child.send({ name, input } satisfies Call);
      const result = await answered;
      if ('failure' in result) throw new Error(`${name} failed: ${result.failure}`);
      return result.output as never;
    },
    peakBytes: () => statusBytes(pid, 'VmHWM'),
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
