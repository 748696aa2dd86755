import type { Run } from '../../../records/warehouse/manifest.ts';
import type { Suppressed } from '../../port.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { withCurrentRuns } from '../rows/current-runs.ts';
import { matchesDigest } from '../rows/digests.ts';
import { passesOver } from '../rows/passes.ts';
import { noList } from '../rows/row-block.ts';
import { within } from '../rows/sql.ts';
import type { StagingInput } from './staging-input.ts';

/** Instead of whether a row removes its device: the device is left out. */
const leftOut = 2;

/** A condition that excludes devices that were left out. */
export function isNotLeftOut(batch: number, pass: string): string {
  return `device not in (
    select device from loaded_row where batch = ${batch} and ${pass} and removes = ${leftOut}
  )`;
}

/**
 * Adds a row for each loaded device that is suppressed. The statements that stage the load then ignore
 * the device. Returns how many such devices there are.
 */
export async function leaveOut(
  engine: Engine,
  { batch, rows, signal }: StagingInput,
  { plain, digests, known }: Suppressed,
): Promise<number> {
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
        for (const matches of matchesDigest(engine, of(digests))) {
          await mark(`select device from (${left}) where ${matches}`);
        }
      }
    },
  );
  let devices = 0;
  for (const pass of passes) {
    const counts = await cluster.sums(
      `select 'devices', count() from (
        select device ${loaded(pass)} and removes = ${leftOut} group by device
      )`,
      options,
    );
    devices += counts.get('devices') ?? 0;
  }
  return devices;

  /** Loaded devices that the runs contain. */
  function heldBy(runs: readonly Run[], pass: string): string {
    return `select device from run_device where ${within(runs)} and ${pass}
      and device in (select device ${loaded(pass)})`;
  }
}
