import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { startEmbeddedServer } from '../../src/records/database/embedded/server.ts';
import { migrate } from '../../src/records/database/migrate.ts';
import { onServer } from './database-server.ts';
import type {} from './provided.ts';
import { quickFolder } from './quick-folder.ts';
import { offerSwift } from './shared-swift.ts';

const run = promisify(execFile);

const template = 'migrated';
const schema = 'tributary';

/** One real PostgreSQL for the whole test run; each test creates its own database in it. Swift starts when needed. */
export default async function setup({ vitest }: TestProject) {
  const allProjects = vitest.getRootProject();
  // The first project starts it for all.
  if ('database' in allProjects.getProvidedContext()) return;
  const dataDir = await mkdtemp(join(await quickFolder(), 'tributary-test-'));
  // Under root the server runs as another user, who needs access to the folder.
  await chmod(dataDir, 0o711);
  const newDatabase = join(dataDir, 'new');
  const first = await startEmbeddedServer(dataDir);
  await migrate({ url: first.url, schema });
  await first.stop();
  // Copied while no process writes to it.
  await run('cp', ['-a', join(dataDir, 'postgres'), newDatabase]);
  const server = await startEmbeddedServer(dataDir, {
    // These records need not survive a power cut.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    // For several test processes or services at once.
    max_connections: '300',
  });
  await onServer(server.url, `create database ${template} template postgres`);
  allProjects.provide('database', { serverUrl: server.url, template, schema, newDatabase });
  const swift = await offerSwift(dataDir);
  allProjects.provide('swiftSocket', swift.socket);
  return async () => {
    await swift[Symbol.asyncDispose]();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
