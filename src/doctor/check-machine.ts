import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, storesFiles } from '../config/config.ts';
import { readDiskSpace } from '../data-dir/disk-reserve.ts';
import { codeOf } from '../domain/errors.ts';
import { type Finding, failure, ok, warning } from '../domain/finding.ts';
import { sizeText } from './text.ts';

/** The disk, the rights and the speed of the data dir. */
export async function checkMachine(config: Config): Promise<Finding[]> {
  const { dataDir } = config;
  const folder = await lstat(dataDir).catch(() => null);
  if (!folder) {
    return storesFiles(config)
      ? [failure('data dir', `${dataDir} does not exist`, 'Correct TRIBUTARY_DATA_DIR.')]
      : [];
  }
  const findings = await checkRights(dataDir);
  if (!storesFiles(config)) return findings;
  return [...findings, ...(await checkSpace(config)), await checkSync(dataDir)];
}

const othersMayRead = 0o044;
const othersMayWrite = 0o022;

async function checkRights(dataDir: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of ['', 'secret-key', 'admin-token', 'objects', 'warehouse']) {
    const path = join(dataDir, name);
    const found = await lstat(path).catch(() => null);
    if (!found || found.isSymbolicLink()) continue;
    if ((found.mode & (othersMayRead | othersMayWrite)) !== 0) {
      const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
      const advice = `Run: chmod go-rw ${path}`;
      findings.push(failure('permissions', `${path} has mode ${mode}: others can open it`, advice));
    }
    const rights = constants.R_OK | constants.W_OK;
    const denied = await access(path, rights).catch((error: unknown) => codeOf(error));
    if (denied) {
      const advice =
        'Run this and the service as the same user, or correct the owner of the folder.';
      findings.push(
        failure('permissions', `${path} cannot be read and written: ${denied}`, advice),
      );
    }
  }
  return findings.length > 0 ? findings : [ok('permissions', `${dataDir} is private`)];
}

const fewInodes = 0.05;

async function checkSpace({ dataDir, diskReserve }: Config): Promise<Finding[]> {
  const { free, reserved } = await readDiskSpace(dataDir, diskReserve);
  const { files, ffree } = await statfs(dataDir);
  const found = `${sizeText(free)} free, ${sizeText(reserved)} reserved`;
  const advice = 'Free space or enlarge the disk. See docs/operating.md, "When the disk fills up".';
  const findings = [
    free < reserved
      ? failure('disk', `${found}: uploads and loads are refused`, advice)
      : free < 2 * reserved
        ? warning('disk', `${found}: nearly full`, advice)
        : ok('disk', found),
  ];
  // Some file systems have no fixed number.
  if (files > 0 && ffree < files * fewInodes) {
    findings.push(warning('disk', `${ffree} inodes are free of ${files}`, advice));
  }
  return findings;
}

const syncs = 10;
const slowMs = 50;
const verySlowMs = 500;

/** How long a small durable write takes. Every commit waits for at least one. */
async function checkSync(dataDir: string): Promise<Finding> {
  const path = join(dataDir, `.sync-test-${randomBytes(4).toString('hex')}`);
  const took: number[] = [];
  try {
    await using file = await open(path, 'wx', 0o600);
    for (let n = 0; n < syncs; n++) {
      const begun = performance.now();
      await file.write(Buffer.alloc(8_192, n));
      await file.sync();
      took.push(performance.now() - begun);
    }
  } finally {
    await rm(path, { force: true });
  }
  const median = took.sort((a, b) => a - b)[syncs / 2]!;
  const found = `a durable write takes ${median.toFixed(1)} ms (the slowest of ${syncs} took ${took.at(-1)!.toFixed(1)} ms)`;
  const advice = 'Use a faster disk for the data dir, or find out what else writes to it.';
  if (median > verySlowMs) return failure('fsync', found, advice);
  return median > slowMs ? warning('fsync', found, advice) : ok('fsync', found);
}
