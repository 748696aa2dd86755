/** The calls of a program by name. Arguments and results are copied between processes. */
// biome-ignore lint/suspicious/noExplicitAny: the only type that every call's argument is assignable to
export type Calls = Readonly<Record<string, (input: any) => unknown>>;

export interface Call {
  readonly name: string;
  readonly input: unknown;
}

export type Answer = { readonly output: unknown } | { readonly failure: string };

/** Called once by a program. The program exits when its parent disconnects. */
export function serveCalls(calls: Calls, end: () => Promise<void> = async () => {}): void {
  process.on('message', async ({ name, input }: Call) => {
    try {
      send({ output: await calls[name]?.(input) });
    } catch (error) {
      send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', async () => {
    await end();
    process.exit();
  });
  send({ output: 'ready' });
}

function send(answer: Answer): void {
  process.send?.(answer);
}

/** The duration of a call, and the CPU time of the process with its threads. */
export interface Effort {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export async function timed<T>(work: () => Promise<T>): Promise<T & Effort> {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const result = await work();
  const seconds = (performance.now() - before) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { ...result, seconds, cpuSeconds: (user + system) / 1e6 };
}
