import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { toolEnvironment } from './storage-client.ts';

interface PythonCalls {
  run(call: string, args: readonly string[], input?: Buffer): Promise<Buffer>;
  close(): void;
}

/** Runs all calls of a connection in one process, because a Python client takes a second to load. */
export function startPythonCalls(
  program: string,
  folder: string,
  env: Record<string, string>,
): PythonCalls {
  const child = spawn('/usr/bin/python3', [join(import.meta.dirname, program)], {
    cwd: folder,
    env: toolEnvironment(folder, env),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface(child.stdout);
  return {
    async run(call, args, input) {
      const content = input && join(folder, 'input');
      if (content) await writeFile(content, input);
      const answered = once(answers, 'line');
      child.stdin.write(`${JSON.stringify([call, args, content ?? null])}\n`);
      const [line] = (await answered) as [string];
      const [output, error] = JSON.parse(line) as [string, null] | [null, string];
      if (error !== null) throw new Error(`${call} ${args.join(' ')}: ${error}`);
      return readFile(resolve(folder, output));
    },
    close: () => child.stdin.end(),
  };
}
