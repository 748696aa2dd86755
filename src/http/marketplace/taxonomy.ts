import { type InputIssue, TributaryError } from '../../domain/errors.ts';
import type { NewAttribute } from '../../records/marketplace/attributes.ts';
import { invalidRequest } from '../server/problems.ts';
import { type CsvRecord, readCsv } from './csv-records.ts';

/** An attribute of a taxonomy, and the line of the file that it stands on. */
export interface TaxonomyEntry extends NewAttribute {
  readonly line: number;
}

/** What is wrong with an attribute, as if it had been sent by itself. */
export type AttributeFaults = (attribute: object) => readonly InputIssue[];

const taxonomyColumns = ['name', 'description', 'partnerkey'] as const;
const mostEntries = 10_000;

/** Reads a whole taxonomy. Throws with every fault in it, each by its line and column. */
export function readTaxonomy(text: string, faultsOf: AttributeFaults): TaxonomyEntry[] {
  const records = readCsv(text);
  if ('message' in records) throw refused(lineOf(records), records.message);
  const [header, ...rows] = records;
  if (header?.cells.join().toLowerCase() !== taxonomyColumns.join()) {
    throw refused('line 1', `must be the header ${taxonomyColumns.join()}`);
  }
  if (rows.length === 0) throw refused('', 'has no attribute below the header');
  if (rows.length > mostEntries) throw refused('', `has more than ${mostEntries} attributes`);
  const entries = rows.map(entryOf);
  const issues = rows.flatMap((row, index) => issuesOf(row, entries[index]!, faultsOf));
  const all = [...issues, ...repeatedKeys(entries)];
  if (all.length > 0) throw invalidRequest(all);
  return entries;
}

/** A foreign key that some other attribute has already, told by the line that asks for it. */
export function keyTakenOnLine({ line, partnerForeignKey }: TaxonomyEntry): TributaryError {
  return new TributaryError(
    'foreign_key_taken',
    `line ${line}: another attribute has the partner_foreign_key ${JSON.stringify(partnerForeignKey)}. Nothing was created.`,
  );
}

function entryOf({ line, cells: [name = '', description = '', key = ''] }: CsvRecord) {
  return { line, name, description, partnerForeignKey: key === '' ? null : key };
}

function issuesOf(row: CsvRecord, entry: TaxonomyEntry, faultsOf: AttributeFaults): InputIssue[] {
  if (row.cells.length !== taxonomyColumns.length) {
    const message = `has ${row.cells.length} columns and not ${taxonomyColumns.length}`;
    return [{ pointer: lineOf(row), message }];
  }
  const { name, description, partnerForeignKey } = entry;
  const key = partnerForeignKey === null ? {} : { partner_foreign_key: partnerForeignKey };
  return faultsOf({ name, description, ...key }).map(({ pointer, message }) => {
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

function refused(pointer: string, message: string): TributaryError {
  return invalidRequest([{ pointer, message }]);
}
