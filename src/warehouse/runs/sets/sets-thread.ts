import { serveTasks } from '../../../threads/serve-tasks.ts';
import { createSetTasks } from './set-tasks.ts';

serveTasks(createSetTasks());
