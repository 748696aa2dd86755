import { createPartTasks } from './part-tasks.ts';
import { createScatterTasks } from './scatter-tasks.ts';

export type LoadTasks = ReturnType<typeof createLoadTasks>;

/** All tasks of a loading thread. */
export function createLoadTasks() {
  return { ...createScatterTasks(), ...createPartTasks() };
}
