import { createPartTasks } from './part-tasks.ts';
import { createScatterTasks } from './scatter-tasks.ts';

export type LoadTasks = ReturnType<typeof createLoadTasks>;

/** All that a thread of the loading half can be asked to do. */
export function createLoadTasks() {
  return { ...createScatterTasks(), ...createPartTasks() };
}
