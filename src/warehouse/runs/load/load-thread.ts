import { serveTasks } from '../../../threads/serve-tasks.ts';
import { createLoadTasks } from './load-tasks.ts';

serveTasks(createLoadTasks());
