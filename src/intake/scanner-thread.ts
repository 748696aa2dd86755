import { serveTasks } from '../threads/serve-tasks.ts';
import { createScanner } from './scanner.ts';

const { scan } = createScanner();

serveTasks({ scan });
