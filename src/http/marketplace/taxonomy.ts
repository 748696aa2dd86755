import { type InputIssue, TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { NewAttribute } from '../../records/marketplace/attributes.ts';
import { nextTurn } from '../lists/turns.ts';
import { invalidRequest } from '../server/problems.ts';
import { type CsvRecord, readCsv } from './csv-records.ts';

/** An attribute of a taxonomy and its line in the file. */
export interface TaxonomyEntry extends NewAttribute {
  readonly line: number;
}

/** Validates an attribute in the same way as one that is created by itself. */
export type ValidateAttribute = (attribute: object) => readonly InputIssue[];

const taxonomyColumns = ['name', 'description', 'partnerkey'] as const;
const maximumEntries = limits.taxonomyEntries.most;

/** Throws an error that lists every issue in the file by line and column. */
export async function readTaxonomy(
  text: string,
  validate: ValidateAttribute,
): Promise<TaxonomyEntry[]> {
  const entries: TaxonomyEntry[] = [];
  const issues: InputIssue[] = [];
  let hasHeader = false;
  let turn = await nextTurn();
  for (const record of readCsv(text)) {
    if ('message' in record) throw invalidFile(lineOf(record), record.message);
    if (!hasHeader) {
      checkHeader(record);
      hasHeader = true;
      continue;
    }
    if (entries.length === maximumEntries) {
      throw invalidFile('', `has more than ${maximumEntries} attributes`);
    }
    const entry = entryOf(record);
    entries.push(entry);
    issues.push(...issuesOf(record, entry, validate));
    if (turn.isOver()) turn = await nextTurn();
  }
  if (!hasHeader) checkHeader(undefined);
  if (entries.length === 0) throw invalidFile('', 'has no attributes after the header');
  const all = [...issues, ...repeatedKeys(entries)];
  if (all.length > 0) throw invalidRequest(all);
  return entries;
}

function checkHeader(record: CsvRecord | undefined): void {
  if (record?.cells.join().toLowerCase() === taxonomyColumns.join()) return;
  throw invalidFile('line 1', `must be the header ${taxonomyColumns.join()}`);
}

export function keyTakenOnLine({ line, partnerForeignKey }: TaxonomyEntry): TributaryError {
  return new TributaryError(
    'foreign_key_taken',
    `line ${line}: another attribute already has the partner_foreign_key ${JSON.stringify(partnerForeignKey)}. No attribute was created.`,
  );
}

function entryOf({ line, cells: [name = '', description = '', key = ''] }: CsvRecord) {
  return { line, name, description, partnerForeignKey: key === '' ? null : key };
}

function issuesOf(row: CsvRecord, entry: TaxonomyEntry, validate: ValidateAttribute): InputIssue[] {
  if (row.cells.length !== taxonomyColumns.length) {
    const message = `has ${row.cells.length} columns instead of ${taxonomyColumns.length}`;
    return [{ pointer: lineOf(row), message }];
  }
  const { name, description, partnerForeignKey } = entry;
  const key = partnerForeignKey === null ? {} : { partner_foreign_key: partnerForeignKey };
  return validate({ name, description, ...key }).map(({ pointer, message }) => {
    const column = pointer === '/partner_foreign_key' ? 'partnerkey' : pointer.slice(1);
    return { pointer: `${lineOf(row)}, ${column}`, message };
  });
}

function repeatedKeys(entries: readonly TaxonomyEntry[]): InputIssue[] {
  const lines = new Map<string, number>();
  return entries.flatMap(({ line, partnerForeignKey: key }) => {
    if (key === null) return [];
    const first = lines.get(key);
    if (first === undefined) lines.set(key, line);
    return first === undefined
      ? []
      : [{ pointer: `line ${line}, partnerkey`, message: `is the same as on line ${first}` }];
  });
}

function lineOf({ line }: { line: number }): string {
  return `line ${line}`;
}

function invalidFile(pointer: string, message: string): TributaryError {
  return invalidRequest([{ pointer, message }]);
}
