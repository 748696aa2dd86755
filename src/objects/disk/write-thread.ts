import { serveTasks } from '../../threads/serve-tasks.ts';
import { createWriteTasks } from './write-tasks.ts';

serveTasks(createWriteTasks());
