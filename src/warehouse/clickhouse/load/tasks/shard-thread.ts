import { lowerThreadPriority } from '../../../../threads/lower-priority.ts';
import { serveTasks } from '../../../../threads/serve-tasks.ts';
import { createShardTasks } from './shard-tasks.ts';

lowerThreadPriority();
serveTasks(createShardTasks());
