import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../../src/records/database/connection.ts';
import { startEmbeddedServer } from '../../../src/records/database/embedded/server.ts';
import { createRecords } from '../../../src/records/records.ts';
import { readRun } from '../../../src/warehouse/runs/testing/read-run.ts';
import { testSealing } from '../../support/sealing.ts';
import { openTestWarehouse } from '../../support/warehouse.ts';
import { inCurrentPlace } from './current-place.ts';
import type { Opened } from './world.ts';

/** Opens the data dir of a service that has stopped. */
export async function openDataDir(dataDir: string): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const server = await startEmbeddedServer(dataDir);
  opening.defer(() => server.stop());
  const db = openDatabase({ url: server.url, schema: 'tributary', maxConnections: 5 });
  opening.defer(() => db.destroy());
  const records = await inCurrentPlace(createRecords(db, testSealing));
  const folder = join(dataDir, 'warehouse');
  const warehouse = opening.use(await openTestWarehouse(folder, records));
  const again = await db.selectFrom('job').select('job_id').where('attempt', '>', 1).execute();
  const open = opening.move();
  return {
    records,
    warehouse,
    interruptedJobs: again.length,
    devicesOf: async (runs) => runs.map((run) => readRun(folder, run)),
    async differences(runs) {
      const stored = await readdir(folder);
      const referred = runs.map(({ file }) => file);
      return [
        ...stored.filter((file) => !referred.includes(file)).map((file) => `unreferenced: ${file}`),
        ...referred.filter((file) => !stored.includes(file)).map((file) => `missing: ${file}`),
      ];
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
