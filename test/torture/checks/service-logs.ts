import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Defects that show in the log only. A failed request shows in its answer. */
const defects = new Set(['job failed unexpectedly', 'composition failed']);

/** Reads what the processes of the service have logged. */
export interface ServiceLogs {
  /** Every defect since the last call. */
  defects(): Promise<string[]>;
}

export function readServiceLogs(folder: string): ServiceLogs {
  const read = new Map<string, number>();

  async function newLines(file: string): Promise<string[]> {
    await using log = await open(join(folder, file));
    const from = read.get(file) ?? 0;
    const { size } = await log.stat();
    const { buffer } = await log.read(Buffer.alloc(size - from), 0, size - from, from);
    // The last line may not be complete yet.
    const end = buffer.lastIndexOf('\n') + 1;
    read.set(file, from + end);
    return buffer.subarray(0, end).toString().split('\n');
  }

  return {
    async defects() {
      const files = (await readdir(folder)).filter((file) => file.endsWith('.log'));
      const lines = (await Promise.all(files.map(newLines))).flat();
      return lines.filter(isDefect);
    },
  };
}

function isDefect(line: string): boolean {
  // Node prints its version after an exception that nothing caught.
  if (!line.startsWith('{')) return line.startsWith('Node.js v');
  try {
    return defects.has((JSON.parse(line) as { msg?: string }).msg ?? '');
  } catch {
    // Cut off by a kill.
    return false;
  }
}
