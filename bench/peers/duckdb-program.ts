import { open } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { serveCalls, timed } from '../harness/serve-calls.ts';

export interface DuckDbJob {
  /** Run in order; the rows of the last one are the result. */
  readonly statements: readonly string[];
  /** Files that the statements write, synced before the job counts as done. */
  readonly files?: readonly string[];
}

export type DuckDbCalls = typeof calls;

/** In memory, spilling to the folder. It uses both cores, as we do. */
const instance = await DuckDBInstance.create(':memory:', {
  threads: '2',
  temp_directory: process.argv[2] ?? '',
  preserve_insertion_order: 'false',
});
const connection = await instance.connect();

const calls = {
  run: ({ statements, files = [] }: DuckDbJob) =>
    timed(async () => {
      let rows: string[][] = [];
      for (const statement of statements) {
        const reader = await connection.runAndReadAll(statement);
        rows = reader.getRowsJson().map((row) => row.map(String));
      }
      for (const file of files) {
        await using written = await open(file, 'r');
        await written.sync();
      }
      return { rows };
    }),
};

serveCalls(calls, async () => connection.closeSync());
