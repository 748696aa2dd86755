import { serveTasks } from '../../threads/serve-tasks.ts';
import { createScanner } from './scanner.ts';

const { scan } = createScanner();

// Its tasks are short, so it keeps the priority of the process.
serveTasks({ scan });
