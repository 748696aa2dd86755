import { type Program, startProgram } from '../harness/program.ts';
import type { DuckDbCalls } from './duckdb-program.ts';

export function startDuckDb(scratch: string): Promise<Program<DuckDbCalls>> {
  const program = new URL('./duckdb-program.ts', import.meta.url);
  return startProgram<DuckDbCalls>(program, [scratch]);
}

/** Reads one of our files without auto-detection. */
export function csvTable(
  path: string,
  cell: string,
  compression: 'none' | 'gzip' = 'none',
): string {
  return `read_csv('${path}', columns = {'device': 'UUID', '${cell}': 'VARCHAR'}, header = false,
    delim = ',', quote = '"', escape = '"', auto_detect = false, compression = '${compression}')`;
}
