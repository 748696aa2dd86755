import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { statusBytes } from './process-status.ts';
import type { Answer, Call, Calls } from './serve-calls.ts';

/** One side of a comparison in its own process, so the sides do not share memory. */
export interface Program<T extends Calls> extends AsyncDisposable {
  readonly pid: number;
  /** One at a time. */
  call<Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
  ): Promise<Awaited<ReturnType<T[Name]>>>;
  /** Its memory peak, as reported by the kernel (VmHWM). */
  peakBytes(): Promise<number>;
}

/** Starts `file`, which passes calls of type `T` to `serveCalls`. `args` are its arguments. */
export async function startProgram<T extends Calls>(
  file: URL,
  args: readonly string[] = [],
  nodeOptions: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Program<T>> {
  const child = fork(fileURLToPath(file), args, {
    execArgv: [...nodeOptions],
    env: { ...env, ...process.env },
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const ended = exited.then((): never => {
    throw new Error(`${file.pathname} exited unexpectedly`);
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
