import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskStore } from '../../src/objects/disk/disk-store.ts';
import { openDatabase } from '../../src/records/database/connection.ts';
import { startEmbeddedServer } from '../../src/records/database/embedded/server.ts';
import { migrate } from '../../src/records/database/migrate.ts';
import { createRecords } from '../../src/records/records.ts';
import { compileThreads } from '../../src/supervisor/compile-threads.ts';
import { workerLaunch } from '../../src/supervisor/role-process.ts';
import { attributeCount, attributeKey } from '../generate/rows.ts';
import { type BenchCluster, benchSealing, type WorkerArguments } from '../worker/arguments.ts';
import type { WorkerCalls } from '../worker/worker-program.ts';
import { type Program, startProgram } from './program.ts';

/** A database, an object store and a warehouse for one case, removed when disposed. */
export interface World extends AsyncDisposable {
  /** A folder for the files of peers. */
  readonly scratch: string;
  readonly partnerId: number;
  /** Creates an object of the partner and returns the path of the file that stores it. */
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<PutObject>;
  /** Creates attributes of the partner with the keys used in files. */
  createAttributes(): Promise<void>;
  /** Its warehouse uses run files, or a cluster if one is given. */
  startWorker(
    nodeOptions: readonly string[],
    clickhouse?: BenchCluster,
  ): Promise<Program<WorkerCalls>>;
}

interface PutObject {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

const workerProgram = new URL('../worker/worker-program.ts', import.meta.url);
const schema = 'tributary';

export async function openWorld(): Promise<World> {
  await using setup = new AsyncDisposableStack();
  const folder = await makeFolder();
  setup.defer(() => rm(folder, { recursive: true, force: true }));
  const server = await startEmbeddedServer(folder);
  setup.defer(() => server.stop());
  await migrate({ url: server.url, schema });
  const db = openDatabase({ url: server.url, schema, maxConnections: 4 });
  setup.defer(() => db.destroy());
  const records = createRecords(db, benchSealing);
  const objectFolder = join(folder, 'objects');
  const objects = await openDiskStore(objectFolder, records.objectIndex, records.uploads);
  const { partnerId, prefix } = await records.partners.create('bench');
  const resources = setup.move();
  let workers = 0;

  return {
    scratch: folder,
    partnerId,

    async put(name, content) {
      const version = await objects.put(prefix + name, content);
      const [blob] = await records.objectIndex.blobsOf(version);
      const path = join(objectFolder, blob!.name.slice(0, 2), blob!.name);
      return { name, path, bytes: version.size };
    },

    async createAttributes() {
      await records.inTransaction(async (tx) => {
        for (let number = 0; number < attributeCount; number++) {
          const partnerForeignKey = attributeKey(number);
          const name = `Attribute ${partnerForeignKey}`;
          await tx.attributes.create(partnerId, { name, description: '', partnerForeignKey });
        }
      });
    },

    async startWorker(nodeOptions, clickhouse) {
      const args: WorkerArguments = {
        databaseUrl: server.url,
        schema,
        folder,
        partnerId,
        // Run files are named after the job, so each worker needs its own range of IDs.
        firstJobId: 1_000_000 * ++workers,
        clickhouse,
      };
      // As the supervisor does: otherwise each thread loads the compiler and keeps it in memory.
      const env = { ...workerLaunch.env, NODE_COMPILE_CACHE: join(folder, 'compile-cache') };
      if (workers === 1) {
        await compileThreads({ ...process.env, ...env }, new AbortController().signal);
      }
      return startProgram<WorkerCalls>(
        workerProgram,
        [JSON.stringify(args)],
        [...workerLaunch.nodeOptions, ...nodeOptions],
        env,
      );
    },

    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Under root the database runs as another user, who needs access to the folder. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'));
  await chmod(folder, 0o711);
  return folder;
}
