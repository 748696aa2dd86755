import { lowerThreadPriority } from '../../threads/lower-priority.ts';
import { serveTasks } from '../../threads/serve-tasks.ts';
import { createScanner } from './scanner.ts';

const { scan } = createScanner();

lowerThreadPriority();
serveTasks({ scan });
