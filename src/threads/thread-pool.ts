import { once } from 'node:events';
import { type Transferable, Worker } from 'node:worker_threads';
import type { Answer, Call, TaskFailure, Tasks } from './serve-tasks.ts';

/** Threads that run one program, each one task at a time. They are started when first needed. */
export interface ThreadPool<T extends Tasks> extends AsyncDisposable {
  readonly size: number;
  /** Does a task on the next thread that is free, or on a certain one, in the order of the calls. */
  run<Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    options?: RunOptions,
  ): Promise<Awaited<ReturnType<T[Name]>>>;
}

interface RunOptions {
  /** From 0 to `size` - 1: tasks that share what a thread remembers name the same one. */
  readonly thread?: number;
  readonly transfer?: readonly Transferable[];
}

interface Job {
  readonly call: Call;
  readonly transfer: readonly Transferable[];
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly own: Job[];
  worker: Worker | undefined;
  current: Job | undefined;
}

/** `program` calls `serveTasks` with the tasks that `T` describes. */
export function createThreadPool<T extends Tasks>(program: URL, size: number): ThreadPool<T> {
  const gone = new Error('the threads were stopped');
  const anybodys: Job[] = [];
  let isStopped = false;
  const threads: Thread[] = Array.from({ length: size }, () => ({
    own: [],
    worker: undefined,
    current: undefined,
  }));

  function dispatch(thread: Thread): void {
    if (thread.current) return;
    const job = thread.own.shift() ?? anybodys.shift();
    if (!job) return;
    thread.current = job;
    thread.worker ??= start(thread);
    thread.worker.ref();
    try {
      thread.worker.postMessage(job.call, job.transfer);
    } catch (error) {
      // What cannot be sent fails by itself; the thread knows nothing of it and takes the next.
      thread.current = undefined;
      thread.worker.unref();
      job.reject(error);
      dispatch(thread);
    }
  }

  function start(thread: Thread): Worker {
    const worker = new Worker(program);
    worker.on('message', (answer: Answer) => {
      const job = thread.current;
      thread.current = undefined;
      // Only a task under way keeps the process alive.
      worker.unref();
      if ('failure' in answer) job?.reject(errorOf(answer.failure));
      else job?.resolve(answer.output);
      dispatch(thread);
    });
    worker.on('error', (error) => lose(thread, error));
    worker.on('exit', (code) => {
      if (thread.worker === worker) lose(thread, new Error(`a thread ended with code ${code}`));
    });
    return worker;
  }

  /** What it was doing failed; a new thread goes on with the rest. */
  function lose(thread: Thread, error: unknown): void {
    const job = thread.current;
    thread.worker = undefined;
    thread.current = undefined;
    job?.reject(error);
    dispatch(thread);
  }

  return {
    size,
    run(name, input, { thread, transfer = [] } = {}) {
      return new Promise((resolve, reject) => {
        if (isStopped) throw gone;
        const job = { call: { name, input }, transfer, resolve, reject } as Job;
        if (thread === undefined) {
          anybodys.push(job);
          const idle = threads.find(({ current }) => !current);
          if (idle) dispatch(idle);
        } else {
          const chosen = threads[thread];
          if (!chosen) throw new RangeError(`there is no thread ${thread}`);
          chosen.own.push(job);
          dispatch(chosen);
        }
      });
    },
    async [Symbol.asyncDispose]() {
      isStopped = true;
      for (const job of anybodys.splice(0)) job.reject(gone);
      await Promise.all(
        threads.map(async (thread) => {
          for (const job of thread.own.splice(0)) job.reject(gone);
          const { worker, current } = thread;
          thread.worker = undefined;
          thread.current = undefined;
          if (!worker) return;
          const exited = once(worker, 'exit');
          await worker.terminate();
          await exited.catch(() => {});
          current?.reject(gone);
        }),
      );
    },
  };
}

function errorOf({ message, code, stack }: TaskFailure): Error {
  const error = Object.assign(new Error(message), code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
