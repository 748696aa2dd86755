import { once } from 'node:events';
import { type Transferable, Worker } from 'node:worker_threads';
import type { Answer, Call, TaskFailure, Tasks } from './serve-tasks.ts';

/** Threads that run the same program, each one task at a time. They are started when first needed. */
export interface ThreadPool<T extends Tasks> extends AsyncDisposable {
  readonly size: number;
  /** Runs a task on the next free thread, or on the given one in the order of the calls. */
  run<Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    options?: RunOptions,
  ): Promise<Awaited<ReturnType<T[Name]>>>;
}

interface RunOptions {
  /** From 0 to `size` - 1. Tasks that share the state of a thread must name the same one. */
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
  /** Sent and not answered yet. The thread works on the first, the others wait in its queue. */
  sent: Job[];
}

/** More than one, so a thread has its next task while its last answer is on the way. */
const maximumSent = 3;

/** Threads work in arrays of their own. What else they allocate is garbage at once. */
const maxYoungGenerationSizeMb = 6;

/** `program` calls `serveTasks` with the tasks that `T` describes. */
export function createThreadPool<T extends Tasks>(program: URL, size: number): ThreadPool<T> {
  const stopped = new Error('the thread pool was stopped');
  const unassigned: Job[] = [];
  let isStopped = false;
  const threads: Thread[] = Array.from({ length: size }, () => ({
    own: [],
    worker: undefined,
    sent: [],
  }));

  function nextFor({ own, sent }: Thread): Job | undefined {
    if (sent.length === 0) return own.shift() ?? unassigned.shift();
    // An unassigned job may find another thread free sooner, and moved objects cannot be sent twice.
    const mayQueue = sent.length < maximumSent && own[0]?.transfer.length === 0;
    return mayQueue ? own.shift() : undefined;
  }

  function dispatch(thread: Thread): void {
    for (let job = nextFor(thread); job; job = nextFor(thread)) {
      thread.worker ??= start(thread);
      try {
        thread.worker.postMessage(job.call, job.transfer);
        thread.sent.push(job);
      } catch (error) {
        // A job that cannot be sent fails alone. The thread never saw it and takes the next.
        job.reject(error);
      }
    }
    // Only a running task keeps the process alive.
    if (thread.sent.length > 0) thread.worker?.ref();
    else thread.worker?.unref();
  }

  function start(thread: Thread): Worker {
    const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb } });
    worker.on('message', (answer: Answer) => {
      const job = thread.sent.shift();
      if ('failure' in answer) job?.reject(errorOf(answer.failure));
      else job?.resolve(answer.output);
      dispatch(thread);
    });
    worker.on('error', (error) => replace(thread, error));
    worker.on('exit', (code) => {
      if (thread.worker === worker) replace(thread, new Error(`a thread exited with code ${code}`));
    });
    return worker;
  }

  /** Fails the running job. A new thread continues with the rest. */
  function replace(thread: Thread, error: unknown): void {
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
        if (isStopped) throw stopped;
        const job = { call: { name, input }, transfer, resolve, reject } as Job;
        if (thread === undefined) {
          unassigned.push(job);
          const idle = threads.find(({ sent }) => sent.length === 0);
          if (idle) dispatch(idle);
        } else {
          const chosen = threads[thread];
          if (!chosen) throw new RangeError(`no thread ${thread}: the pool has ${size}`);
          chosen.own.push(job);
          dispatch(chosen);
        }
      });
    },
    async [Symbol.asyncDispose]() {
      isStopped = true;
      for (const job of unassigned.splice(0)) job.reject(stopped);
      await Promise.all(
        threads.map(async (thread) => {
          for (const job of thread.own.splice(0)) job.reject(stopped);
          const { worker, sent } = thread;
          thread.worker = undefined;
          thread.sent = [];
          if (!worker) return;
          const exited = once(worker, 'exit');
          await worker.terminate();
          await exited.catch(() => {});
          for (const job of sent) job.reject(stopped);
        }),
      );
    },
  };
}

function errorOf({ message, code, stack, detail }: TaskFailure): Error {
  const error = Object.assign(
    new Error(message),
    code === undefined ? {} : { code },
    detail === undefined ? {} : { detail },
  );
  if (stack !== undefined) error.stack = stack;
  return error;
}
