import { lowerThreadPriority } from '../../../../threads/lower-priority.ts';
import { serveTasks } from '../../../../threads/serve-tasks.ts';
import { createLoadTasks } from './load-tasks.ts';

lowerThreadPriority();
serveTasks(createLoadTasks());
