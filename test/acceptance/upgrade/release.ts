import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DatabaseCopy } from './database-copy.ts';

const run = promisify(execFile);
const folder = join(import.meta.dirname, 'releases');

/** What a release left behind, and what its API said about it. */
export interface Release {
  readonly secretKey: string;
  readonly adminToken: string;
  readonly apiKey: string;
  readonly storage: {
    readonly bucket: string;
    readonly key: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  readonly user: { readonly email: string; readonly password: string };
  /** An import that no worker had begun. It is a dry run. */
  readonly pending: { readonly apiKey: string; readonly importLogId: number };
  /** The answers to GET requests of the partner, by path. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly database: DatabaseCopy;
}

/** The versions of which there is data. */
export const releases: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith('.tar.gz'))
  .map((name) => name.slice(0, -'.tar.gz'.length));

/** The archive holds `release.json` and the data dir, without what belongs to running processes. */
export async function packRelease(
  version: string,
  release: Release,
  home: string,
): Promise<string> {
  await writeFile(join(home, 'release.json'), JSON.stringify(release));
  const archive = join(folder, `${version}.tar.gz`);
  await mkdir(folder, { recursive: true });
  const transient = ['lock', 'tributary.pid', 'compile-cache'].map(
    (name) => `--exclude=data/${name}`,
  );
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner'];
  await run('tar', ['-czf', archive, '-C', home, ...transient, ...same, 'release.json', 'data']);
  return archive;
}

/** Unpacks the data dir as `data` in this folder. */
export async function unpackRelease(version: string, home: string): Promise<Release> {
  await run('tar', ['-xzf', join(folder, `${version}.tar.gz`), '-C', home, '--no-same-owner']);
  return JSON.parse(await readFile(join(home, 'release.json'), 'utf8'));
}
