import { flushCompileCache } from 'node:module';
import { beforeAll } from 'vitest';

// Loading the modules of a test takes 2 s of CPU, and 1 s from the cache. Node writes it when a process exits, but
// test processes are killed.
beforeAll(() => flushCompileCache());
