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
  /** What it was sent and has not answered: it is at the first, and the others wait there. */
  sent: Job[];
}

/** So that a thread has something to go on with while its last answer is on its way here. */
const sentAtOnce = 3;

/** `program` calls `serveTasks` with the tasks that `T` describes. */
export function createThreadPool<T extends Tasks>(program: URL, size: number): ThreadPool<T> {
  const gone = new Error('the threads were stopped');
  const anybodys: Job[] = [];
  let isStopped = false;
  const threads: Thread[] = Array.from({ length: size }, () => ({
    own: [],
    worker: undefined,
    sent: [],
  }));

  function nextFor({ own, sent }: Thread): Job | undefined {
    if (sent.length === 0) return own.shift() ?? anybodys.shift();
    // What is anybody's may find another thread free sooner, and what moves cannot be sent twice.
    const mayWaitThere = sent.length < sentAtOnce && own[0]?.transfer.length === 0;
    return mayWaitThere ? own.shift() : undefined;
  }

  function dispatch(thread: Thread): void {
    for (let job = nextFor(thread); job; job = nextFor(thread)) {
      thread.worker ??= start(thread);
      try {
        thread.worker.postMessage(job.call, job.transfer);
        thread.sent.push(job);
      } catch (error) {
        // What cannot be sent fails by itself; the thread knows nothing of it and takes the next.
        job.reject(error);
      }
    }
    // Only a task under way keeps the process alive.
    if (thread.sent.length > 0) thread.worker?.ref();
    else thread.worker?.unref();
  }

  function start(thread: Thread): Worker {
    const worker = new Worker(program);
    worker.on('message', (answer: Answer) => {
      const job = thread.sent.shift();
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
    const [job, ...waiting] = thread.sent;
    thread.worker = undefined;
    thread.sent = [];
    thread.own.unshift(...waiting);
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
          const idle = threads.find(({ sent }) => sent.length === 0);
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
          const { worker, sent } = thread;
          thread.worker = undefined;
          thread.sent = [];
          if (!worker) return;
          const exited = once(worker, 'exit');
          await worker.terminate();
          await exited.catch(() => {});
          for (const job of sent) job.reject(gone);
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
