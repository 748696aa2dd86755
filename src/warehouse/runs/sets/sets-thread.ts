import { lowerThreadPriority } from '../../../threads/lower-priority.ts';
import { serveTasks } from '../../../threads/serve-tasks.ts';
import { createSetTasks } from './set-tasks.ts';

lowerThreadPriority();
serveTasks(createSetTasks());
