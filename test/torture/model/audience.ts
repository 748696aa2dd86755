import { gzipSync } from 'node:zlib';
import { deviceId } from './marketplace.ts';

/** The content of an audience file, as the model knows it. */
export interface ModelContent {
  readonly first: number;
  readonly last: number;
  /** How often each row is repeated. */
  readonly times: number;
  readonly label: string;
  /** How the file is damaged, if it is. */
  readonly fault: 'none' | 'wrong_columns' | 'bad_compression' | 'too_many_rejects';
}

/** The entry of a file in an audience. */
interface ModelEntry {
  status: 2 | 3;
  rowsUploaded: number;
  /** Identifies the content of its last successful load. */
  loaded: string | undefined;
}

/** The expected state of an audience, by the documented rules. */
export interface ModelAudience {
  readonly audienceId: number;
  readonly segmentId: number;
  /** The number of the customer it belongs to. */
  readonly customer: number | null;
  uploaded: number;
  lastLoadFailed: boolean;
  readonly devices: Set<number>;
  readonly labels: Map<string, Set<number>>;
  /** By path, in load order. */
  readonly entries: Map<string, ModelEntry>;
}

export interface AudienceFile {
  readonly key: string;
  /** Files with the same version are the same to the service. */
  readonly version: string;
  readonly content: ModelContent;
}

export function emptyAudience(
  audienceId: number,
  segmentId: number,
  customer: number | null,
): ModelAudience {
  return {
    audienceId,
    segmentId,
    customer,
    uploaded: 0,
    lastLoadFailed: false,
    devices: new Set(),
    labels: new Map(),
    entries: new Map(),
  };
}

export function audienceBytes({ first, last, times, label, fault }: ModelContent): Buffer {
  const lines: string[] = [];
  for (let number = first; number <= last; number++) {
    lines.push(`${deviceId(number)},${label}\n`.repeat(times));
  }
  switch (fault) {
    case 'none':
      return Buffer.from(lines.join(''));
    case 'wrong_columns':
      return Buffer.from(`${lines.join('')}one,two,three\n`);
    case 'too_many_rejects':
      return Buffer.from(lines.join('').replaceAll('-', '+'));
    case 'bad_compression':
      return gzipSync(lines.join('')).subarray(0, -4);
  }
}

/** Loads files, in key order, into the audience. Those for which `ranOutOfSpace` is true fail. */
export function loadFiles(
  audience: ModelAudience,
  files: readonly AudienceFile[],
  ranOutOfSpace: (key: string) => boolean,
): void {
  audience.lastLoadFailed = files.length === 0;
  for (const file of files) loadFile(audience, file, ranOutOfSpace);
}

function loadFile(
  audience: ModelAudience,
  { key, version, content }: AudienceFile,
  ranOutOfSpace: (key: string) => boolean,
): void {
  const entry: ModelEntry = audience.entries.get(key) ?? {
    status: 3,
    rowsUploaded: 0,
    loaded: undefined,
  };
  audience.entries.set(key, entry);
  if (entry.status === 2 && entry.loaded === version) return;
  if (content.fault !== 'none' || ranOutOfSpace(key)) {
    entry.status = 3;
    return;
  }
  const { first, last, times, label } = content;
  entry.status = 2;
  entry.loaded = version;
  entry.rowsUploaded = (last - first + 1) * times;
  audience.uploaded += entry.rowsUploaded;
  const labelled = audience.labels.get(label) ?? new Set();
  if (label !== '') audience.labels.set(label, labelled);
  for (let number = first; number <= last; number++) {
    audience.devices.add(number);
    labelled.add(number);
  }
}

export function clearAudience(audience: ModelAudience): void {
  audience.uploaded = 0;
  audience.lastLoadFailed = false;
  audience.devices.clear();
  audience.labels.clear();
  audience.entries.clear();
}

/** The overall status when no load is open. */
export function statusOf({ lastLoadFailed, entries }: ModelAudience): 2 | 3 {
  const anyFailed = [...entries.values()].some(({ status }) => status === 3);
  return lastLoadFailed || anyFailed ? 3 : 2;
}
