import { neededFiles, withSizes } from '../backup/create-backup.ts';
import { type Config, databaseOf, type ServingConfig } from '../config/config.ts';
import { readSecretKeys } from '../data-dir/data-dir.ts';
import { readDataDirState } from '../data-dir/data-dir-state.ts';
import { messageOf } from '../domain/errors.ts';
import { openDatabase } from '../records/database/connection.ts';
import { type Dump, withDump } from '../records/database/dump.ts';
import { installationContext } from '../records/database/installation.ts';
import { supportedSchema } from '../records/database/schema-version.ts';
import { createSealing, type Sealing } from '../records/database/sealing.ts';
import { createRecords, type Records } from '../records/records.ts';
import { openServiceDatabase } from './open-service-database.ts';
import { sharedBucketOptions } from './stores.ts';
import { findWarehouse } from './warehouse/find-warehouse.ts';

/** One thing that was checked. */
export interface CheckedPiece {
  readonly piece: 'database' | 'secret key' | 'data dir' | 'objects' | 'device sets';
  readonly isFine: boolean;
  /** What was found and, if it is wrong, what to do. */
  readonly text: string;
}

interface Restored {
  readonly config: ServingConfig;
  readonly records: Records;
  readonly sealing: Sealing;
  readonly dump: Dump;
}

/** The same with the settings of the service. An embedded service must be stopped. */
export async function checkRestoredHere(
  config: Config,
  signal: AbortSignal,
): Promise<CheckedPiece[]> {
  await using resources = new AsyncDisposableStack();
  const databaseUrl = await openServiceDatabase(config, resources, signal);
  const secretKeys = await readSecretKeys(config.dataDir, config.secretKeys);
  return await checkRestored({ ...config, databaseUrl }, secretKeys, signal);
}

/**
 * Checks that database, data dir, bucket and shards belong together, after an operator restored them with
 * several tools. Changes no data. The service may run or not.
 */
export async function checkRestored(
  config: ServingConfig,
  secretKeys: readonly string[],
  signal: AbortSignal,
): Promise<CheckedPiece[]> {
  const sealing = createSealing(secretKeys);
  const database = databaseOf(config);
  const db = openDatabase({ ...database, maxConnections: 3 });
  try {
    const records = createRecords(db, sealing);
    return await withDump(
      database,
      async (dump) => {
        const { config: used } = await findWarehouse(config, records);
        const restored = { config: used, records, sealing, dump };
        const found: CheckedPiece[] = [];
        for (const [piece, check] of Object.entries(checks)) {
          const name = piece as CheckedPiece['piece'];
          found.push(
            await check(restored).then(
              (text) => ({ piece: name, isFine: true, text }),
              (error) => ({ piece: name, isFine: false, text: messageOf(error) }),
            ),
          );
        }
        return found;
      },
      signal,
    );
  } catch (error) {
    return [{ piece: 'database', isFine: false, text: messageOf(error) }];
  } finally {
    await db.destroy();
  }
}

/** Each returns what it found, or throws what is wrong. */
const checks: Readonly<Record<CheckedPiece['piece'], (restored: Restored) => Promise<string>>> = {
  async database({ dump: { schemaVersion, latestChange } }) {
    if (schemaVersion > supportedSchema) {
      throw new Error(
        `It has schema version ${schemaVersion}, but this Tributary supports only ${supportedSchema}: use a newer Tributary.`,
      );
    }
    const after = schemaVersion < supportedSchema ? ', which the next start migrates' : '';
    return `version ${schemaVersion}${after}, change ${latestChange}`;
  },

  async 'secret key'({ dump, sealing, records }) {
    try {
      sealing.open(dump.keyCheck, installationContext);
    } catch (cause) {
      throw new Error('TRIBUTARY_SECRET_KEY is not the key of this database: set the right one.', {
        cause,
      });
    }
    const unreadable = await records.sealedSecrets.countUnreadable();
    if (unreadable.length === 0) return 'decrypts all stored secrets';
    const what = unreadable.map((each) => `${each.what}: ${each.values}`).join(', ');
    throw new Error(
      `TRIBUTARY_SECRET_KEY lacks a key that stored secrets are encrypted with (${what}): add it after the others.`,
    );
  },

  async 'data dir'({ config, dump, records }) {
    const { installation, mark, changes } = await readDataDirState(config.dataDir);
    if (installation !== null && installation !== dump.installationId) {
      throw new Error('It belongs to another service than the database: set another folder.');
    }
    for (const content of ['device sets', 'objects'] as const) {
      const place = await records.places.find(content);
      if (place?.kind !== 'folder' || place.mark === null || place.mark === mark) continue;
      throw new Error(
        `It is not the folder with the ${content} of this database, which was ${place.address}: restore the two from the same set.`,
      );
    }
    if (changes !== null && changes > dump.latestChange) {
      throw new Error(
        `Its files have change ${changes}, but the database only ${dump.latestChange}: restore a newer database, or run "tributary recover --accept-older-database".`,
      );
    }
    return installation === null ? 'not used yet' : 'belongs to the database';
  },

  async 'device sets'({ config, dump, records }) {
    const runs = await dump.runs();
    if (!config.clickhouse) return checkFiles(config, dump, 'warehouse/');
    const { countRuns } = await import('../warehouse/clickhouse/count-runs.ts');
    const counts = await countRuns(config.clickhouse, records);
    const wrong = runs.filter(
      ({ file, firstRowGroup, devices }) => counts.get(`${file} ${firstRowGroup}`) !== devices,
    );
    if (wrong.length === 0) return `${runs.length} runs, all rows are on the shards`;
    throw new Error(
      `${wrong.length} of ${runs.length} runs lack rows on the shards, the first one is ${wrong[0]!.file}: restore the shards from a backup that was made within 15 minutes after that of the database.`,
    );
  },

  async objects({ config, dump }) {
    if (config.objects.kind === 'disk') return checkFiles(config, dump, 'objects/');
    const { createS3Store } = await import('../objects/s3/s3-store.ts');
    await using store = createS3Store(sharedBucketOptions(config.bucket, config.objects));
    await store.checkReady();
    return `the bucket ${config.bucket} answers. The database does not list its objects`;
  },
};

async function checkFiles(
  config: ServingConfig,
  dump: Dump,
  below: 'warehouse/' | 'objects/',
): Promise<string> {
  const needed = (await neededFiles(config, dump)).filter(({ path }) => path.startsWith(below));
  const lost = (await withSizes(config.dataDir, needed)).filter(({ size }) => size === null);
  if (lost.length === 0) return `${needed.length} files, all are there`;
  throw new Error(
    `${lost.length} of ${needed.length} files are missing or too short, the first one is ${lost[0]!.path}: restore database and files from the same set.`,
  );
}
