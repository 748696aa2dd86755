import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { startEmbeddedServer } from '../../src/records/database/embedded/server.ts';
import { migrate } from '../../src/records/database/migrate.ts';
import { databaseOn, onServer } from './database-server.ts';
import type {} from './provided.ts';
import { quickFolder } from './quick-folder.ts';

const run = promisify(execFile);

const template = 'migrated';
const schema = 'tributary';

/** One real PostgreSQL for the whole test run; each test makes itself a database of its own in it. */
export default async function setup({ vitest }: TestProject) {
  const allProjects = vitest.getRootProject();
  // Whichever project comes first starts it for all.
  if ('database' in allProjects.getProvidedContext()) return;
  // Workers, and their threads still more, give way to others: not to tests that wait for them. The
  // processes that run tests, and all that they start, inherit this.
  setPriority(constants.priority.PRIORITY_LOW);
  const dataDir = await mkdtemp(join(await quickFolder(), 'tributary-test-'));
  // Under root the server has a user of its own, who must be able to pass.
  await chmod(dataDir, 0o711);
  const emptyDatabase = join(dataDir, 'empty');
  // Copied while nobody writes to it.
  await (await startEmbeddedServer(dataDir)).stop();
  await run('cp', ['-a', join(dataDir, 'postgres'), emptyDatabase]);
  const server = await startEmbeddedServer(dataDir, {
    // Nobody needs these records after a power cut.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    // Several workers' tests, or several services, at once.
    max_connections: '200',
  });
  await onServer(server.url, `create database ${template}`);
  await migrate({ url: databaseOn(server.url, template), schema });
  allProjects.provide('database', { serverUrl: server.url, template, schema, emptyDatabase });
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
