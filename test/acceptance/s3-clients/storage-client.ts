import { spawn } from 'node:child_process';
import type { Requirement } from '../../support/requirements.ts';
import type { StorageCredentials } from '../api.ts';

/** An S3 client that partners use. Keys include the partner's prefix. */
export interface StorageClient {
  readonly name: string;
  readonly needs: readonly Requirement[];
  /** Whether listings keep the store's order. */
  readonly lists: 'as the store does' | 'in its own order';
  /** Signature version 2 is obsolete and refused. */
  readonly signsLinks: 'by version 4' | 'by version 2';
  connect(access: Access): Connection;
}

interface Access extends StorageCredentials {
  /** The client's own folder, for its home and files. */
  readonly folder: string;
}

export interface Connection {
  /** Uploads large files in parts. */
  put(file: string, key: string): Promise<void>;
  /** Uploads a stream of unknown length. */
  putStream(content: Buffer, key: string): Promise<void>;
  get(key: string): Promise<Buffer>;
  /** Bytes [start, end). */
  getRange(key: string, start: number, end: number): Promise<Buffer>;
  /** Lists every key that begins with the prefix, which ends with a slash. */
  list(prefix: string): Promise<string[]>;
  copy(from: string, to: string): Promise<void>;
  /** Creates a download link that is valid for ten minutes. */
  presign(key: string): Promise<string>;
  delete(key: string): Promise<void>;
  deleteAll(prefix: string): Promise<void>;
  /** Ends the client's process, if it has one. */
  close?(): void;
}

export const megabyte = 1024 * 1024;

/** Isolates a tool from the settings of the machine. */
export function toolEnvironment(home: string, env: Record<string, string>): Record<string, string> {
  return { PATH: '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', ...env };
}

/** Runs one of Debian's tools in an isolated environment. */
export function runTool(
  home: string,
  command: string,
  args: readonly string[],
  { env = {}, input = Buffer.alloc(0) }: { env?: Record<string, string>; input?: Buffer } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(`/usr/bin/${command}`, args, {
      cwd: home,
      env: toolEnvironment(home, env),
    });
    const printed: Buffer[] = [];
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(printed));
      else reject(new Error(`${command} ${args.join(' ')} exited with ${code}: ${errors}`));
    });
    // A refused tool does not read all its input; its exit code and stderr give the reason.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

export function linesOf(output: Buffer): string[] {
  return output
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}
