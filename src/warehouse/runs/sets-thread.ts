import { serveTasks } from '../../threads/serve-tasks.ts';
import { createSetTasks } from './sets/set-tasks.ts';

serveTasks(createSetTasks());
