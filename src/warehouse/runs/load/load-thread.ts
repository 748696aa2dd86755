import { serveTasks } from '../../../threads/serve-tasks.ts';
import { stepBack } from '../../../threads/step-back.ts';
import { createLoadTasks } from './load-tasks.ts';

stepBack();
serveTasks(createLoadTasks());
