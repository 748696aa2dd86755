import { gzipSync, zstdCompressSync } from 'node:zlib';
import { limits } from '../../../src/domain/limits.ts';
import { deviceNumber } from '../../support/devices.ts';

/** Consecutive rows of a marketplace file. */
export interface Rows {
  readonly first: number;
  readonly last: number;
  /** How often each row is repeated. */
  readonly times: number;
  /** Names of attributes. An empty list in a removal means all of them. */
  readonly attributes: readonly string[];
  readonly removes: boolean;
}

/** The content of a marketplace file, as the model knows it. */
export interface MarketplaceContent {
  readonly kind: 'marketplace';
  /** 0 = the file names attribute ids, 1 = foreign keys. */
  readonly keyType: 0 | 1;
  readonly rows: readonly Rows[];
  readonly malformed: number;
  readonly zeroed: number;
  readonly packing: 'none' | 'gzip' | 'zstd';
  readonly fault: 'none' | 'wrong_columns' | 'bad_compression';
}

/** The devices of each attribute of a partner, by the attribute's name. */
export type Attributes = Map<
  string,
  { readonly attributeId: number; readonly devices: Set<number> }
>;

export interface ImportOutcome {
  readonly status: 2 | 3;
  /** The devices of all accepted rows, also if they were erased. */
  readonly devices: ReadonlySet<number>;
  /** Undefined where the rules leave open how much of a failed file is read. */
  readonly totalRows: number | undefined;
  /** The file that failed and of which any part may have been read. */
  readonly partlyRead: string | null;
  readonly problems: readonly string[];
  readonly files: readonly string[];
  /** Changes the attributes as the import does. */
  apply(): void;
}

const deviceIds: string[] = [];

export function deviceId(number: number): string {
  deviceIds[number] ??= deviceNumber(number);
  return deviceIds[number];
}

/** The bytes of a file. Ids of attributes that no longer exist are taken from `idOf` as well. */
export function marketplaceBytes(
  { keyType, rows, malformed, zeroed, packing, fault }: MarketplaceContent,
  idOf: (attribute: string) => number,
): Buffer {
  const parts = ['id,id_type,country,operation,attribute_ids\n'];
  for (const { first, last, times, attributes, removes } of rows) {
    const keys = attributes.map((name) => (keyType === 0 ? idOf(name) : name)).join('|');
    const rest = removes ? `,1,DE,1,${keys}\n` : `,3,us,0,${keys}\n`;
    for (let number = first; number <= last; number++) {
      parts.push((deviceId(number) + rest).repeat(times));
    }
  }
  parts.push('not-a-device,1,DE,0,x\n'.repeat(malformed));
  parts.push('00000000-0000-0000-0000-000000000000,1,DE,0,x\n'.repeat(zeroed));
  if (fault === 'wrong_columns') parts.push('one,two,three\n');
  const text = parts.join('');
  if (fault === 'bad_compression') return gzipSync(text).subarray(0, -4);
  if (packing === 'gzip') return gzipSync(text);
  return packing === 'zstd' ? zstdCompressSync(text) : Buffer.from(text);
}

/** What an import of these files does, by the documented rules. Files are in key order. */
export function importOutcome(
  attributes: Attributes,
  files: readonly (readonly [path: string, content: MarketplaceContent])[],
  mode: 'merge' | 'replace',
): ImportOutcome {
  const problems: string[] = [];
  const reports: string[] = [];
  const accepted: Rows[] = [];
  const unique = new Set<number>();
  let totalRows: number | undefined = 0;
  let leftOut = 0;
  let partlyRead: string | null = null;
  let hasFailed = files.length === 0;
  if (hasFailed) problems.push('no_files of null: 1');
  for (const [path, content] of files) {
    if (hasFailed) {
      reports.push(`${path}: status 0, 0 rows, 0 rejected`);
      continue;
    }
    const found = readFile(attributes, content, mode);
    hasFailed = found.failure !== undefined;
    const isCounted = found.failure === undefined || found.failure === 'too_many_rejects';
    const counts = isCounted ? `${found.total} rows, ${found.rejected} rejected` : 'some rows';
    reports.push(`${path}: status ${hasFailed ? 3 : 2}, ${counts}`);
    totalRows = isCounted && totalRows !== undefined ? totalRows + found.total : undefined;
    if (!isCounted) partlyRead = path;
    if (isCounted) problems.push(...found.problems.map(([code, n]) => `${code} of ${path}: ${n}`));
    if (found.failure) problems.push(`${found.failure} of ${path}: 1`);
    leftOut += Math.max(0, found.rejected - limits.rejectsPerFile.most);
    accepted.push(...found.accepted);
  }
  if (leftOut > 0 && totalRows !== undefined) {
    problems.push(`rejects_left_out of null: ${leftOut}`);
  }
  if (!hasFailed)
    for (const rows of accepted) for (const number of numbersOf(rows)) unique.add(number);
  return {
    status: hasFailed ? 3 : 2,
    devices: unique,
    totalRows,
    partlyRead,
    problems: problems.toSorted(),
    files: reports,
    apply: () => hasFailed || change(attributes, accepted, mode),
  };
}

function readFile(
  attributes: Attributes,
  { rows, malformed, zeroed, fault }: MarketplaceContent,
  mode: 'merge' | 'replace',
) {
  const isKnown = (each: Rows) => each.attributes.every((name) => attributes.has(name));
  const accepted = rows.filter(isKnown);
  const unknown = sum(rows.filter((each) => !isKnown(each)));
  const rejected = unknown + malformed + zeroed;
  const total = sum(accepted) + rejected;
  const problems = [
    ['unknown_key', unknown] as const,
    ['malformed_id', malformed] as const,
    ['zeroed_id', zeroed] as const,
  ].filter(([, count]) => count > 0);
  const hasRemovals = rows.some(({ removes }) => removes);
  const failure =
    mode === 'replace' && hasRemovals
      ? 'removal_in_replace'
      : fault !== 'none'
        ? fault
        : (unknown + malformed) / total > 0.05
          ? 'too_many_rejects'
          : undefined;
  return { accepted, rejected, total, problems, failure };
}

/** All removals apply before the additions. */
function change(
  attributes: Attributes,
  accepted: readonly Rows[],
  mode: 'merge' | 'replace',
): void {
  const devicesOf = (rows: Rows) => {
    const names = rows.attributes.length > 0 ? rows.attributes : [...attributes.keys()];
    return names.map((name) => attributes.get(name)!.devices);
  };
  if (mode === 'replace') {
    for (const rows of accepted) for (const devices of devicesOf(rows)) devices.clear();
  }
  for (const removes of [true, false]) {
    for (const rows of accepted.filter((each) => each.removes === removes)) {
      for (const devices of devicesOf(rows)) {
        for (const number of numbersOf(rows)) {
          if (removes) devices.delete(number);
          else devices.add(number);
        }
      }
    }
  }
}

function sum(rows: readonly Rows[]): number {
  return rows.reduce((total, { first, last, times }) => total + (last - first + 1) * times, 0);
}

function* numbersOf({ first, last }: Rows): Iterable<number> {
  for (let number = first; number <= last; number++) yield number;
}
