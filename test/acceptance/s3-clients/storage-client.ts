import { spawn } from 'node:child_process';
import type { Requirement } from '../../support/requirements.ts';
import type { StorageCredentials } from '../api.ts';

/** An S3 client that partners use. Keys are those of the bucket, prefix and all. */
export interface StorageClient {
  readonly name: string;
  readonly needs: readonly Requirement[];
  /** In whose order it shows a listing: the store's, or one of its own. */
  readonly lists: 'as the store does' | 'in its own order';
  /** Version 2 of the signature is long given up by S3, and refused. */
  readonly signsLinks: 'by version 4' | 'by version 2';
  connect(access: Access): Connection;
}

interface Access extends StorageCredentials {
  /** A folder of this client's own, for its home and its files. */
  readonly folder: string;
}

export interface Connection {
  /** Large files go in parts. */
  put(file: string, key: string): Promise<void>;
  /** Without knowing how much there is before the end. */
  putStream(content: Buffer, key: string): Promise<void>;
  get(key: string): Promise<Buffer>;
  /** Bytes from `start` up to, not including, `end`. */
  getRange(key: string, start: number, end: number): Promise<Buffer>;
  /** Every key that begins with the prefix, which ends in a slash. */
  list(prefix: string): Promise<string[]>;
  copy(from: string, to: string): Promise<void>;
  /** A link that anybody can get the object with for ten minutes. */
  presign(key: string): Promise<string>;
  delete(key: string): Promise<void>;
  deleteAll(prefix: string): Promise<void>;
}

export const megabyte = 1024 * 1024;

/** Runs one of Debian's tools such that it knows nothing but what it is told here. */
export function runTool(
  home: string,
  command: string,
  args: readonly string[],
  { env = {}, input = Buffer.alloc(0) }: { env?: Record<string, string>; input?: Buffer } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(`/usr/bin/${command}`, args, {
      cwd: home,
      env: { PATH: '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', ...env },
    });
    const printed: Buffer[] = [];
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaints += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(printed));
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}: ${complaints}`));
    });
    // A tool that is refused does not read to the end; how it ends tells why.
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
