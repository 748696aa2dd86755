import { serveTasks } from '../../threads/serve-tasks.ts';
import { createMd5Tasks } from './md5-tasks.ts';

serveTasks(createMd5Tasks());
