import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function printTable(title: string, rows: readonly string[][]): void {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  process.stdout.write(`\n${title}\n`);
  for (const [name = '', value = '', remark = ''] of rows) {
    const line = `  ${name.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${remark}`;
    process.stdout.write(`${line.trimEnd()}\n`);
  }
}

/** What was measured and where, for comparing runs; the folder is not kept in the repository. */
export async function saveResults(name: string, results: object): Promise<void> {
  const folder = join(import.meta.dirname, 'results');
  await mkdir(folder, { recursive: true });
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  const text = JSON.stringify({ name, machine, ...results }, null, 2);
  await writeFile(join(folder, `${name}.json`), `${text}\n`);
}
