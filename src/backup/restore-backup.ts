import { statfs } from 'node:fs/promises';
import { type Config, databaseOf } from '../config/config.ts';
import { beginRestore, type RestoringDataDir } from '../data-dir/restoring.ts';
import { openSuppressionFile, suppressionFileName } from '../data-dir/suppression-file.ts';
import { startEmbeddedServer } from '../records/database/embedded/server.ts';
import { installationContext } from '../records/database/installation.ts';
import { hasTables, loadDump } from '../records/database/load-dump.ts';
import { supportedSchema } from '../records/database/schema-version.ts';
import { createSealing } from '../records/database/sealing.ts';
import { eachOf } from './each-of.ts';
import { decompressed, readSetFiles } from './file-list.ts';
import {
  damagedFile,
  listSets,
  type Manifest,
  readManifest,
  readPart,
  suppressionsPart,
  tablePart,
} from './manifest.ts';
import { createMeter, measure } from './meter.ts';
import type { OnProgress } from './progress.ts';
import { BackupError, type BackupTarget, sharedFiles } from './target.ts';

const filesAtOnce = 4;

/**
 * Brings a set up in an empty data dir and an empty database: the embedded one in the data dir, or the one
 * of DATABASE_URL. Checks every file against its checksum. If it fails, the data dir stays unusable.
 */
export async function restoreBackup(
  config: Config,
  target: BackupTarget,
  set: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Manifest> {
  const manifest = await readManifest(target, set);
  const secrets = await readSecrets(target, manifest);
  checkFits(config, manifest, secrets);
  if (config.databaseUrl !== null) {
    const database = databaseOf({ ...config, databaseUrl: config.databaseUrl });
    if (await hasTables(database)) {
      throw new BackupError(
        `The schema ${database.schema} of DATABASE_URL has tables. A set is restored into an empty schema only: set another TRIBUTARY_DATABASE_SCHEMA, or drop this one`,
      );
    }
  }
  await using dataDir = await beginRestore(config.dataDir);
  await checkFreeSpace(config.dataDir, manifest);
  await restoreFiles(dataDir);
  for (const [name, content] of Object.entries(secrets)) await dataDir.write(name, content);
  await restoreSuppressions(dataDir);
  await restoreDatabase(dataDir);
  await dataDir.finish(manifest.installation_id, manifest.latest_change);
  return manifest;

  async function restoreFiles({ put }: RestoringDataDir): Promise<void> {
    const files = await readSetFiles(target, manifest);
    const bytesTotal = manifest.file_bytes;
    let bytesDone = 0;
    await eachOf(
      files,
      filesAtOnce,
      async ({ path, bytes, sha256 }) => {
        const meter = createMeter((more) => {
          bytesDone += more;
          onProgress({ step: 'files', bytesDone, bytesTotal });
        });
        await put(path, meter.through(target.open(`${sharedFiles}/${path}`)));
        const found = meter.result();
        if (found.bytes !== bytes || found.sha256 !== sha256) throw damagedFile(target, path);
      },
      signal,
    );
  }

  /** Those of the newest set that is whole, because the service applies what the database does not have. */
  async function restoreSuppressions({ put }: RestoringDataDir): Promise<void> {
    // The operator has put a newer file there.
    if (await openSuppressionFile(config.dataDir).end()) return;
    const later = (await listSets(target)).filter((each) => each.isComplete && each.set >= set);
    for (const { set: name } of later.toReversed()) {
      const found = await readManifest(target, name).catch(() => null);
      const part = found?.parts.find(({ path }) => path === suppressionsPart);
      if (!part) continue;
      const path = `${name}/${suppressionsPart}`;
      const stored = await measure(target.open(path)).catch(() => null);
      if (stored?.sha256 !== part.sha256) continue;
      await put(suppressionFileName, decompressed(target.open(path)));
      return;
    }
  }

  async function restoreDatabase({ mark }: RestoringDataDir): Promise<void> {
    await using server =
      config.databaseUrl === null ? await startServer(config.dataDir, signal) : null;
    const databaseUrl = config.databaseUrl ?? server!.url;
    const dump = {
      schemaVersion: manifest.schema_version,
      tables: manifest.tables,
      sequences: manifest.sequences,
    };
    const bytesTotal = manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0);
    let bytesDone = 0;
    const place = { mark, address: config.dataDir, set };
    await loadDump(databaseOf({ ...config, databaseUrl }), dump, rowsOf, place);

    async function* rowsOf(table: { name: string }): AsyncGenerator<Uint8Array> {
      signal.throwIfAborted();
      const path = tablePart(table);
      const meter = createMeter((more) => {
        bytesDone += more;
        onProgress({ step: 'database', bytesDone, bytesTotal });
      });
      yield* decompressed(meter.through(target.open(`${set}/${path}`)));
      const expected = manifest.parts.find((part) => part.path === path);
      // The transaction is not committed, so rows of a damaged file are gone again.
      if (meter.result().sha256 !== expected?.sha256) throw damagedFile(target, `${set}/${path}`);
    }
  }
}

/** The secrets that the set holds, by the names of their files. */
async function readSecrets(
  target: BackupTarget,
  manifest: Manifest,
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const name of ['secret-key', 'admin-token']) {
    const content = await readPart(target, manifest, name);
    if (content !== undefined) secrets[name] = content.trim();
  }
  return secrets;
}

function checkFits(config: Config, manifest: Manifest, secrets: Record<string, string>): void {
  if (manifest.schema_version > supportedSchema) {
    throw new BackupError(
      `The set has schema version ${manifest.schema_version}, but this Tributary supports only ${supportedSchema}: use a newer Tributary`,
    );
  }
  const inSet = secrets['secret-key'];
  const keys = config.secretKeys ?? (inSet === undefined ? null : [inSet]);
  if (!keys) {
    throw new BackupError(
      'The set does not contain the secret key, because it was a setting: set TRIBUTARY_SECRET_KEY to the key of the service',
    );
  }
  try {
    createSealing(keys).open(Buffer.from(manifest.key_check, 'base64'), installationContext);
  } catch (cause) {
    throw new BackupError(
      'TRIBUTARY_SECRET_KEY is not the key of this set: its secrets could not be decrypted. Set the key that the service had',
      { cause },
    );
  }
  const elsewhere = (what: string) => manifest.elsewhere.some((text) => text.startsWith(what));
  const wrong = [
    { name: 'TRIBUTARY_WAREHOUSE', isSet: config.clickhouse !== null, needed: elsewhere('device') },
    { name: 'TRIBUTARY_S3_REGION', isSet: config.objects.kind === 's3', needed: elsewhere('obj') },
  ].find(({ isSet, needed }) => isSet !== needed);
  if (wrong) {
    const must = wrong.needed ? 'must be set as' : 'must not be set, because it was not';
    throw new BackupError(`${wrong.name} ${must} when the set was made: ${contentsOf(manifest)}`);
  }
}

function contentsOf({ elsewhere }: Manifest): string {
  return elsewhere.length === 0
    ? 'the set holds everything'
    : `the set does not hold ${elsewhere.join(', ')}`;
}

async function checkFreeSpace(dataDir: string, { file_bytes, parts }: Manifest): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const needed = file_bytes + parts.reduce((sum, { bytes }) => sum + bytes, 0);
  if (bavail * bsize > needed) return;
  throw new BackupError(
    `The disk of ${dataDir} has ${bavail * bsize} bytes free, but the set needs ${needed}`,
  );
}

async function startServer(dataDir: string, signal: AbortSignal) {
  const server = await startEmbeddedServer(dataDir, {}, signal);
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}
