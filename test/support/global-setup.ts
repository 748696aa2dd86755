import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedServer } from '../../src/records/embedded/server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string;
  }
}

/** One real PostgreSQL for the whole test run; each test makes itself a schema of its own in it. */
export default async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-test-'));
  // Under root the server has a user of its own, who must be able to pass.
  await chmod(dataDir, 0o711);
  const server = await startEmbeddedServer(dataDir, {
    // Nobody needs these records after a power cut.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  });
  project.provide('databaseUrl', server.url);
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
