import { getPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { lowerThreadPriority } from '../lower-priority.ts';
import { moving, serveTasks } from '../serve-tasks.ts';

const remembered: number[] = [];

const tasks = {
  double: (number: number) => number * 2,
  async later(number: number) {
    await setImmediate();
    remembered.push(number);
    return number;
  },
  remember(number: number) {
    remembered.push(number);
    return { thread: threadId, remembered: [...remembered] };
  },
  fill(length: number) {
    const filled = new Uint32Array(length).fill(7);
    return moving({ filled }, [filled.buffer]);
  },
  fail(code: string) {
    throw Object.assign(new Error('the disk is full'), { code, detail: { file: 'a' } });
  },
  end: (code: number) => process.exit(code),
  priority: () => getPriority(),
  lowerPriority() {
    lowerThreadPriority();
    return getPriority();
  },
  forever() {
    for (;;);
  },
};

export type SampleTasks = typeof tasks;

serveTasks(tasks);
