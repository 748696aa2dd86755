import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, objectsFolder, warehouseFolder } from '../config/config.ts';
import { messageOf } from '../domain/errors.ts';
import { type Finding, failure, ok, warning } from '../domain/finding.ts';
import type { Records } from '../records/records.ts';
import { verifyRuns } from '../warehouse/runs/verify-runs.ts';
import { countText, namesText, sizeText } from './text.ts';

interface Depth {
  readonly deep: boolean;
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** The files in the data dir, against the database. */
export async function checkFiles(
  config: Config,
  records: Records,
  depth: Depth,
): Promise<Finding[]> {
  return [
    ...(config.clickhouse ? [] : await checkRunFiles(warehouseFolder(config), records, depth)),
    ...(config.objects.kind === 's3'
      ? []
      : await checkBlobs(objectsFolder(config), records, depth)),
  ];
}

const restore =
  'Restore the files from a backup. Or delete the data of the attributes, or the objects, and load them again.';
/** The sweep handles files of processes that crashed. Younger ones may still be in use. */
const runGraceMs = 30 * 60 * 1000;
const blobGraceMs = 26 * 60 * 60 * 1000;

async function checkRunFiles(
  folder: string,
  { manifest, runFiles }: Pick<Records, 'manifest' | 'runFiles'>,
  { deep, onBytes }: Depth,
): Promise<Finding[]> {
  const onDisk = new Set(await readdir(folder).catch(() => []));
  const known = await runFiles.names();
  const listed = await manifest.files();
  const problems: string[] = [];
  for (const { file, bytes, runs } of listed) {
    const path = join(folder, file);
    const problem = await fileProblem(path, bytes, () => (deep ? verifyRuns(path, runs) : null));
    onBytes?.(bytes);
    if (problem) problems.push(`${file}: ${problem}`);
  }
  // A file that was replaced and swept meanwhile is no longer listed.
  const still = new Set((await manifest.files()).map(({ file }) => file));
  const real = problems.filter((problem) => still.has(problem.slice(0, problem.indexOf(': '))));
  const read = deep ? ', every page verified' : '';
  const findings = [
    real.length > 0
      ? failure(
          'device sets',
          `${countText(real.length, 'file')} cannot be read: ${namesText(real)}`,
          restore,
        )
      : ok('device sets', `${countText(listed.length, 'file')} of the manifest complete${read}`),
  ];
  const unknown = [...onDisk].filter((name) => !known.has(name.replace(/\.tmp$/, '')));
  const paths = unknown.map((name) => join(folder, name));
  findings.push(...(await strays('device sets', paths, runGraceMs)));
  return findings;
}

async function checkBlobs(
  folder: string,
  { objectIndex }: Pick<Records, 'objectIndex'>,
  { deep, onBytes }: Depth,
): Promise<Finding[]> {
  const pathOf = (name: string) => join(folder, name.slice(0, 2), name);
  const problems: string[] = [];
  let count = 0;
  for await (const blob of objectIndex.blobs()) {
    count++;
    const path = pathOf(blob.name);
    const verify = () => (deep ? digestProblem(path, blob.etag) : null);
    const problem = await fileProblem(path, blob.size, verify);
    onBytes?.(blob.size);
    // An object that was replaced or deleted meanwhile has no blob any more.
    if (problem && (await objectIndex.hasOwner(blob.name))) {
      problems.push(`${blob.key ?? blob.name}: ${problem}`);
    }
  }
  const read = deep ? ', every byte verified' : '';
  const findings = [
    problems.length > 0
      ? failure(
          'objects',
          `${countText(problems.length, 'file')} cannot be read: ${namesText(problems)}`,
          restore,
        )
      : ok('objects', `${countText(count, 'file')} of objects complete${read}`),
  ];
  const unknown: string[] = [];
  for (const subfolder of await readdir(folder).catch(() => [])) {
    if (!/^[0-9a-f]{2}$/.test(subfolder)) continue;
    const names = await readdir(join(folder, subfolder));
    const known = await objectIndex.knownBlobs(names);
    unknown.push(...names.filter((name) => !known.has(name)).map(pathOf));
  }
  findings.push(...(await strays('objects', unknown, blobGraceMs)));
  return findings;
}

/** Null if the file is there, has all its bytes and passes the verification. */
async function fileProblem(
  path: string,
  bytes: number,
  verify: () => Promise<string | null> | string | null,
): Promise<string | null> {
  try {
    const { size } = await stat(path);
    if (size < bytes) return `has ${size} bytes instead of ${bytes}`;
    return await verify();
  } catch (error) {
    return messageOf(error);
  }
}

async function digestProblem(path: string, etag: string): Promise<string | null> {
  const md5 = createHash('md5');
  for await (const chunk of createReadStream(path)) md5.update(chunk);
  return md5.digest('hex') === etag ? null : 'checksum mismatch';
}

/** Files that the database does not know, unless they are young or folders. */
async function strays(
  check: string,
  paths: readonly string[],
  graceMs: number,
): Promise<Finding[]> {
  const old: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const found = await lstat(path).catch(() => null);
    if (!found?.isFile() || Date.now() - found.mtimeMs < graceMs) continue;
    old.push(path);
    bytes += found.size;
  }
  if (old.length === 0) return [];
  const found = `${countText(old.length, 'orphaned file')} (${sizeText(bytes)}): ${namesText(old)}`;
  const advice =
    'A worker moves them to the trash. If it does not, see docs/operating.md, "TributaryMaintenanceStale".';
  return [warning(check, found, advice)];
}
