import { createHash } from 'node:crypto';
import type { DumpedTable } from '../records/database/dump.ts';
import { type Checked, createMeter } from './meter.ts';
import { isSetName } from './set-name.ts';
import { BackupError, type BackupTarget, FileMissing } from './target.ts';

/** What a set holds. Written last: a set without it, or without its checksum, is incomplete. */
export interface Manifest {
  readonly format: 1;
  readonly set: string;
  /** The version that made it. */
  readonly tributary: string;
  /** The moment of which the set is a copy. */
  readonly taken_at: string;
  readonly finished_at: string;
  readonly schema_version: number;
  readonly installation_id: string;
  /** An encrypted check value, in base64, that only the right secret key can decrypt. */
  readonly key_check: string;
  readonly latest_change: number;
  readonly tables: readonly DumpedTable[];
  readonly sequences: Readonly<Record<string, number>>;
  /** The files of the set's own folder, except the manifest and its checksum. */
  readonly parts: readonly Part[];
  /** The run files and blobs, which sets share. The part `files.zst` lists them. */
  readonly files: number;
  readonly file_bytes: number;
  /** How much of it was not in the target before. */
  readonly new_bytes: number;
  /** Files that the database needs and the service had lost before. */
  readonly missing: readonly string[];
  /** Data of the service that is not in the set. */
  readonly elsewhere: readonly string[];
}

export interface Part extends Checked {
  readonly path: string;
}

export const fileList = 'files.zst';
/** What was suppressed until the set was made. A restore takes it from the newest set. */
export const suppressionsPart = 'suppressions.zst';
export const tablePart = ({ name }: Pick<DumpedTable, 'name'>) => `database/${name}.copy.zst`;
const manifestFile = 'manifest.json';
const checksumFile = 'manifest.sha256';
const format = 1;

/** Makes the set complete. */
export async function writeManifest(target: BackupTarget, manifest: Manifest): Promise<void> {
  const content = `${JSON.stringify(manifest, null, 2)}\n`;
  await target.settle();
  await put(manifestFile, content);
  // In the format of the program sha256sum.
  await put(checksumFile, `${sha256(content)}  ${manifestFile}\n`);
  await target.settle();

  async function put(name: string, text: string): Promise<void> {
    await target.put(`${manifest.set}/${name}`, once(Buffer.from(text)));
  }
}

/** Throws if the set is incomplete or its manifest is damaged. */
export async function readManifest(target: BackupTarget, set: string): Promise<Manifest> {
  const where = `${target.address}/${set}`;
  try {
    const content = await textOf(target.open(`${set}/${manifestFile}`));
    const checksum = await textOf(target.open(`${set}/${checksumFile}`));
    if (checksum !== `${sha256(content)}  ${manifestFile}\n`) {
      throw new BackupError(`${where} is damaged: ${manifestFile} does not match ${checksumFile}`);
    }
    const manifest = JSON.parse(content) as Manifest;
    if (manifest.format > format) {
      throw new BackupError(
        `${where} has format ${manifest.format}, but this version supports only format ${format}: use a newer Tributary`,
      );
    }
    return manifest;
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    throw new BackupError(`${where} is not a complete set: ${error.message}`, { cause: error });
  }
}

/** Reads a small part of a set. Throws if it is damaged. */
export async function readPart(
  target: BackupTarget,
  { set, parts }: Manifest,
  path: string,
): Promise<string | undefined> {
  const expected = parts.find((part) => part.path === path);
  if (!expected) return undefined;
  const meter = createMeter();
  const content = await textOf(meter.through(target.open(`${set}/${path}`)));
  if (meter.result().sha256 === expected.sha256) return content;
  throw damagedFile(target, `${set}/${path}`);
}

export function damagedFile({ address }: BackupTarget, path: string): BackupError {
  return new BackupError(
    `${path} is damaged: its checksum differs from the manifest. Run "tributary backup verify ${address}" to find the sets that are whole`,
  );
}

/** Removes what makes a set complete. The rest of it is then garbage. */
export async function removeManifest(target: BackupTarget, set: string): Promise<void> {
  await target.remove(`${set}/${checksumFile}`);
}

/** The names of the sets, oldest first, and whether each is complete. */
export async function listSets(
  target: BackupTarget,
): Promise<{ set: string; isComplete: boolean }[]> {
  const sets = new Map<string, boolean>();
  for await (const { path } of target.listSets()) {
    const [set = '', name] = path.split('/');
    if (isSetName(set)) sets.set(set, sets.get(set) || name === checksumFile);
  }
  return [...sets]
    .map(([set, isComplete]) => ({ set, isComplete }))
    .sort((a, b) => (a.set < b.set ? -1 : 1));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Buffer[] = [];
  // A chunk may be overwritten later.
  for await (const chunk of content) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

export async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
