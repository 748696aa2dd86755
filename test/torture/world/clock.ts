import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFaketime } from '../../support/requirements.ts';

/** The clock of the processes that are started with its settings. */
export interface Clock {
  readonly settings: Readonly<Record<string, string>>;
  /** Moves the clock this many seconds away from the real time. */
  set(seconds: number): Promise<void>;
}

/** Debian's libfaketime, or undefined if it is not installed. Timers keep their pace. */
export async function openClock(folder: string): Promise<Clock | undefined> {
  const library = findFaketime();
  if (!library) return undefined;
  const file = join(folder, 'clock');
  const set = async (seconds: number) => {
    // Replaced at once: a process that reads an empty file ends with an error.
    await writeFile(`${file}.new`, `${seconds >= 0 ? '+' : ''}${seconds}\n`);
    await chmod(`${file}.new`, 0o644);
    await rename(`${file}.new`, file);
  };
  await set(0);
  return {
    settings: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // A killed process would leave the shared memory of all of them locked.
      FAKETIME_DISABLE_SHM: '1',
      NO_FAKE_STAT: '1',
    },
    set,
  };
}
