import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedServer } from '../../../src/records/database/embedded/server.ts';
import { descendants } from '../../support/processes.ts';
import type { Find } from './signals.ts';

const maxStarts = 10;

/** A PostgreSQL of its own that is started again whenever it exits. */
export interface KeptPostgres extends AsyncDisposable {
  readonly url: string;
  readonly server: Find;
  /** The server and its sessions. */
  readonly all: Find;
}

export async function keepPostgres(folder: string): Promise<KeptPostgres> {
  await mkdir(folder);
  await chmod(folder, 0o711);
  let server = await startEmbeddedServer(folder);
  let isStopping = false;
  const kept = keep();

  async function keep(): Promise<void> {
    while (!isStopping) {
      await server.exited;
      if (!isStopping) await startAgain();
    }
  }

  /** A fault may kill the server during its start. */
  async function startAgain(): Promise<void> {
    for (let attempt = 1; !isStopping; attempt++) {
      try {
        server = await startEmbeddedServer(folder);
        return;
      } catch (error) {
        if (attempt === maxStarts) throw error;
        await sleep(250);
      }
    }
  }

  const find = async () => {
    const file = join(folder, 'postgres', 'data', 'postmaster.pid');
    const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
    const running = await descendants(process.pid);
    return running.filter((entry) => entry.pid === pid).map((entry) => entry.pid);
  };
  return {
    url: server.url,
    server: find,
    async all() {
      const [pid] = await find();
      return pid === undefined ? [] : [pid, ...(await descendants(pid)).map((entry) => entry.pid)];
    },
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await server.stop();
      await kept;
    },
  };
}
