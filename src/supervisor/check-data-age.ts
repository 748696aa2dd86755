import { join } from 'node:path';
import {
  objectsFolder,
  type ServingConfig,
  storesFiles,
  warehouseFolder,
} from '../config/config.ts';
import { checkDataAge, recordDataAge, resetDataAge } from '../data-dir/data-age.ts';
import { putBackFromTrash } from '../data-dir/trash.ts';
import type { Records } from '../records/records.ts';

/**
 * Checks that the database is not older than the files in the data dir, unless the operator accepts it.
 * Puts back files from the trash that the database knows, because a newer backup was restored since.
 */
export async function checkAge(
  config: ServingConfig,
  records: Pick<Records, 'dataChanges' | 'runFiles' | 'objectIndex'>,
): Promise<void> {
  if (!storesFiles(config)) return;
  const { dataDir } = config;
  const { dataChanges, runFiles, objectIndex } = records;
  const latestChange = await dataChanges.latest();
  if ((await checkDataAge(dataDir, latestChange)) === 'accepted') {
    await runFiles.forgetUncommitted();
    await resetDataAge(dataDir, latestChange);
  } else await recordDataAge(dataDir, latestChange);

  const registered = await runFiles.names();
  await putBackFromTrash(
    warehouseFolder(config),
    async (names) => new Set(names.filter((name) => registered.has(name))),
  );
  const objects = objectsFolder(config);
  await putBackFromTrash(
    objects,
    (names) => objectIndex.knownBlobs(names),
    (name) => join(objects, name.slice(0, 2), name),
  );
}
