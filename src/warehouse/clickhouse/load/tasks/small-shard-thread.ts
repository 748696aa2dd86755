import { serveTasks } from '../../../../threads/serve-tasks.ts';
import { createShardTasks } from './shard-tasks.ts';

// Its tasks are short, so it keeps the priority of the process.
serveTasks(createShardTasks());
