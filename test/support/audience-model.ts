import { gzipSync } from 'node:zlib';
import { deviceNumber } from './devices.ts';

/** The content of a source file, as the test knows it. */
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
  /** From its last successful load. */
  loaded: ModelContent | undefined;
}

/** The expected state of an audience, by the documented rules. */
export interface ModelAudience {
  readonly audienceId: number;
  readonly segmentId: number;
  readonly partner: number;
  uploaded: number;
  lastLoadFailed: boolean;
  readonly devices: Set<number>;
  readonly labels: Map<string, Set<number>>;
  /** By path, in load order. */
  readonly entries: Map<string, ModelEntry>;
}

export function emptyAudience(
  audienceId: number,
  segmentId: number,
  partner: number,
): ModelAudience {
  return {
    audienceId,
    segmentId,
    partner,
    uploaded: 0,
    lastLoadFailed: false,
    devices: new Set(),
    labels: new Map(),
    entries: new Map(),
  };
}

export function bytesOf({ first, last, times, label, fault }: ModelContent): Uint8Array {
  const lines: string[] = [];
  for (let number = first; number <= last; number++) {
    lines.push(`${deviceNumber(number)},${label}\n`.repeat(times));
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

/** Loads the files at or under a path into the audience. */
export function loadPath(
  audience: ModelAudience,
  files: ReadonlyMap<string, ModelContent>,
  path: string,
): void {
  const found = files.has(path) ? [path] : [...files.keys()].filter((key) => key.startsWith(path));
  audience.lastLoadFailed = found.length === 0;
  for (const key of found.toSorted()) loadFile(audience, key, files.get(key));
}

function loadFile(audience: ModelAudience, key: string, content: ModelContent | undefined): void {
  if (!content) throw new Error(`the model has no file ${key}`);
  const entry: ModelEntry = audience.entries.get(key) ?? {
    status: 3,
    rowsUploaded: 0,
    loaded: undefined,
  };
  audience.entries.set(key, entry);
  if (entry.status === 2 && entry.loaded && sameContent(entry.loaded, content)) return;
  if (content.fault !== 'none') {
    entry.status = 3;
    return;
  }
  const { first, last, times, label } = content;
  entry.status = 2;
  entry.loaded = content;
  entry.rowsUploaded = (last - first + 1) * times;
  audience.uploaded += entry.rowsUploaded;
  const labelled = audience.labels.get(label) ?? new Set();
  if (label !== '') audience.labels.set(label, labelled);
  for (let number = first; number <= last; number++) {
    audience.devices.add(number);
    labelled.add(number);
  }
}

function sameContent(one: ModelContent, other: ModelContent): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
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
