import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import type { BenchContext, CaseReport } from '../harness/bench-case.ts';

/** Not in the repository. */
export const resultsFolder = resolve(import.meta.dirname, '../results');

export interface SavedResult extends CaseReport {
  readonly name: string;
  readonly scale: number;
  readonly seconds: number;
  readonly measuredAt: string;
  readonly machine: Machine;
}

interface Machine {
  readonly cpu: string;
  /** As Node names it, such as x64 or arm64. */
  readonly architecture: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
}

export async function saveResult(
  name: string,
  report: CaseReport,
  { scale }: BenchContext,
  seconds: number,
): Promise<void> {
  const machine: Machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    architecture: process.arch,
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.version,
  };
  const measuredAt = new Date().toISOString();
  const result: SavedResult = { name, scale, seconds, measuredAt, machine, ...report };
  await mkdir(resultsFolder, { recursive: true });
  await writeFile(fileOf(name, scale), `${JSON.stringify(result, null, 2)}\n`);
}

/** The latest result of a case at full scale; undefined if it never ran. */
export async function readResult(name: string): Promise<SavedResult | undefined> {
  const text = await readFile(fileOf(name, 1), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** A rehearsal never replaces a full result. */
function fileOf(name: string, scale: number): string {
  return join(resultsFolder, scale === 1 ? `${name}.json` : `${name}-rehearsal.json`);
}
