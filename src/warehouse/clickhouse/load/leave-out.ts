import type { Run } from '../../../records/warehouse/manifest.ts';
import type { Suppressed } from '../../port.ts';
import type { ScratchSpace } from '../../runs/load/memory/scratch-space.ts';
import { type Extents, writeSlot } from '../../runs/load/memory/slots.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { withCurrentRuns } from '../rows/current-runs.ts';
import { answersFor } from '../rows/device-answers.ts';
import { packDevices } from '../rows/device-text.ts';
import { forEachDigests } from '../rows/digests.ts';
import { passesOver } from '../rows/passes.ts';
import { noList, within } from '../rows/sql.ts';

/** Instead of whether a row removes its device: the device is left out. */
const leftOut = 2;

/** Devices that are left out, ascending. */
export interface LeftOut {
  readonly devices: number;
  readonly extents: Extents;
}

export const nothingLeftOut: LeftOut = { devices: 0, extents: new Int32Array(0) };

/** The batch whose loaded rows are examined, and how many there are. */
interface Examined {
  readonly batch: number;
  readonly rows: number;
  readonly scratch: ScratchSpace;
  readonly signal: AbortSignal;
}

/** Finds the loaded devices that are suppressed. Adds a row for each of them, and reads these rows. */
export async function findLeftOut(
  engine: Engine,
  { batch, rows, scratch, signal }: Examined,
  { plain, digests, known }: Suppressed,
): Promise<LeftOut> {
  const { cluster, records } = engine;
  const options = { signal, timeoutMs: longTimeoutMs };
  const segments = [plain, digests, ...(known === null ? [] : [known])];
  const passes = await passesOver(rows, engine);
  const loaded = (pass: string) => `from loaded_row where batch = ${batch} and ${pass}`;

  async function mark(devices: string): Promise<void> {
    const sql = `
      insert into loaded_row (batch, removes, list, device)
      select toUInt64(${batch}), toUInt8(${leftOut}), toUInt32(${noList}), device from (${devices})
      group by device`;
    await cluster.onEach((shard) => shard.execute(sql, options));
  }

  await withCurrentRuns(
    engine,
    () => records.manifest.runsOf(segments),
    async (runs) => {
      const of = (segmentId: number | null) => runs.filter((run) => run.segmentId === segmentId);
      for (const pass of passes) {
        if (of(plain).length > 0) await mark(heldBy(of(plain), pass));
        if (of(digests).length === 0) continue;
        const isNew = of(known).length > 0 ? `and device not in (${heldBy(of(known), pass)})` : '';
        const left = `select device ${loaded(pass)} and removes < ${leftOut} ${isNew} group by device`;
        await forEachDigests(engine, of(digests), signal, (matches) =>
          mark(`select device from (${left}) where ${matches}`),
        );
      }
    },
  );
  let marks = 0;
  for (const shard of await cluster.onEach((shard) =>
    shard.select(`select count() ${loaded('1')} and removes = ${leftOut}`, options),
  )) {
    marks += Number(shard[0]?.[0]);
  }
  return marks === 0 ? nothingLeftOut : await readMarks();

  /** Loaded devices that the runs contain. */
  function heldBy(runs: readonly Run[], pass: string): string {
    return `select device from run_device where ${within(runs)} and ${pass}
      and device in (select device ${loaded(pass)})`;
  }

  /** Reads the devices answer by answer and keeps them like the lists of the load. */
  async function readMarks(): Promise<LeftOut> {
    const extents: number[] = [];
    let devices = 0;
    for (const isOfAnswer of answersFor(marks)) {
      const sql = `select lower(hex(device)) ${loaded(isOfAnswer)} and removes = ${leftOut} group by device`;
      const found = await cluster.onEach((shard) => shard.select(sql, options));
      const ascending = found.flat(2).sort();
      devices += ascending.length;
      const words = packDevices(ascending);
      const slots = await scratch.takeSlots(Math.ceil(words.length / scratch.slotWords));
      for (const [i, slot] of slots.entries()) {
        const some = words.subarray(i * scratch.slotWords, (i + 1) * scratch.slotWords);
        writeSlot(scratch.handle(), slot, some);
        extents.push(slot, 0, some.length);
      }
    }
    return { devices, extents: Int32Array.from(extents) };
  }
}
