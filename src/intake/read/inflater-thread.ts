import { serveTasks } from '../../threads/serve-tasks.ts';
import { createInflater } from './inflater.ts';

serveTasks(createInflater());
