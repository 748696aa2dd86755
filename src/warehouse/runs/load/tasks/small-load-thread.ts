import { serveTasks } from '../../../../threads/serve-tasks.ts';
import { createLoadTasks } from './load-tasks.ts';

// Its tasks are short, so it keeps the priority of the process.
serveTasks(createLoadTasks());
