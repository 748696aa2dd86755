import { inPlace, type RowBatch, wordsPerDevice } from '../../../domain/row-batch.ts';
import type { Gathering } from '../../runs/load/gather-rows.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { passesOver } from '../rows/passes.ts';
import { runNumberExpression, within } from '../rows/sql.ts';
import { areDevices } from './loaded-rows.ts';
import type { NumberedRun } from './removal-sql.ts';

/** The batch with the devices of the load, and how many there are. */
interface LoadedDevices {
  readonly batch: number;
  readonly devices: number;
}

const wordsPerRow = wordsPerDevice + 1;
const bytesPerRow = wordsPerRow * Uint32Array.BYTES_PER_ELEMENT;
/** 320 KB. */
const rowsPerBatch = 16_384;

/**
 * Asks the servers which of the loaded devices the runs hold, and gathers the answers as rows that name the
 * lists of the runs.
 */
export async function readHeld(
  engine: Engine,
  held: readonly NumberedRun[],
  { batch, devices }: LoadedDevices,
  gathering: Gathering,
  signal: AbortSignal,
): Promise<void> {
  const runs = held.map(({ run }) => run);
  const headers = held.map(({ list }) => byteSwapped(inPlace | list));
  for (const pass of await passesOver(devices, engine)) {
    // In this format the bytes of a row are those of a row in a batch, once each word is swapped.
    const sql = `
      select device, ${runNumberExpression(runs, headers)} from run_device
      where ${within(runs)} and ${pass}
        and device in (select device from loaded_row where ${areDevices(batch)} and ${pass})
      format RowBinary`;
    await engine.cluster.onEach(async (shard) => {
      const rows = createRowReader(gathering);
      await shard.read(sql, rows.take, { signal, timeoutMs: longTimeoutMs });
      await rows.end();
    });
  }
}

/** Turns bytes into batches of rows. */
function createRowReader(gathering: Gathering) {
  const memory = new SharedArrayBuffer(rowsPerBatch * bytesPerRow);
  const bytes = new Uint8Array(memory);
  let filled = 0;

  async function flush(): Promise<void> {
    if (filled === 0) return;
    if (filled % bytesPerRow !== 0) throw new Error('a result ends within a row');
    Buffer.from(memory, 0, filled).swap32();
    const words = new Uint32Array(memory, 0, filled / Uint32Array.BYTES_PER_ELEMENT);
    const batch: RowBatch = { words, rows: filled / bytesPerRow, numbering: null, release() {} };
    filled = 0;
    await gathering.add(batch);
  }

  return {
    async take(some: Uint8Array): Promise<void> {
      for (let at = 0; at < some.length; ) {
        const part = some.subarray(at, at + bytes.length - filled);
        bytes.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled === bytes.length) await flush();
      }
    },
    end: flush,
  };
}

function byteSwapped(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}
