import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { wordsPerDevice } from './device-words.ts';
import type { Pause } from './pause.ts';
import {
  devicesPerRowGroup,
  type LaidOutRowGroup,
  layOutEnd,
  layOutRowGroup,
  parquetMagic,
} from './run-file-layout.ts';

/** Writes the runs of one file. Disposed of before it has finished, it leaves nothing behind. */
export interface RunFileWriter extends AsyncDisposable {
  /** Appends a run; `devices` ascend and are distinct, 1 or more. */
  writeRun(devices: Uint32Array, pause: Pause): Promise<WrittenRun>;
  /** Makes the file durable and gives it its name. */
  finish(): Promise<void>;
}

interface WrittenRun {
  readonly firstRowGroup: number;
  readonly rowGroups: number;
  readonly bytes: number;
}

export async function createRunFile(directory: string, file: string): Promise<RunFileWriter> {
  let path = join(directory, `${file}.tmp`);
  const handle = await open(path, 'w');
  const rowGroups: LaidOutRowGroup[] = [];
  let offset = 0;
  let finished = false;

  async function append(bytes: Uint8Array): Promise<void> {
    // Unlike write, writeFile goes on until all is written; from where the file now ends.
    await handle.writeFile(bytes);
    offset += bytes.length;
  }

  async function writeRun(devices: Uint32Array, pause: Pause): Promise<WrittenRun> {
    if (offset === 0) await append(magicBytes());
    const firstRowGroup = rowGroups.length;
    const begin = offset;
    for (let at = 0; at < devices.length; at += devicesPerRowGroup * wordsPerDevice) {
      const part = devices.subarray(at, at + devicesPerRowGroup * wordsPerDevice);
      const { bytes, rowGroup } = layOutRowGroup(part, offset);
      await append(bytes);
      rowGroups.push(rowGroup);
      await pause();
    }
    return {
      firstRowGroup,
      rowGroups: rowGroups.length - firstRowGroup,
      bytes: offset - begin,
    };
  }

  async function finish(): Promise<void> {
    await append(layOutEnd(rowGroups, offset));
    await handle.sync();
    await handle.close();
    await rename(path, join(directory, file));
    path = join(directory, file);
    await syncDirectory(directory);
    finished = true;
  }

  async function dispose(): Promise<void> {
    if (finished) return;
    // Settled, so that a failure here does not hide the one that led here.
    await Promise.allSettled([handle.close(), rm(path, { force: true })]);
  }

  return { writeRun, finish, [Symbol.asyncDispose]: dispose };
}

function magicBytes(): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, parquetMagic, true);
  return bytes;
}

/** A new name is only safe from a power cut once the directory that holds it is. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}
