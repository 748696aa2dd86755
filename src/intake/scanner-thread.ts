import { serveTasks } from '../threads/serve-tasks.ts';
import { stepBack } from '../threads/step-back.ts';
import { createScanner } from './scanner.ts';

const { scan } = createScanner();

stepBack();
serveTasks({ scan });
