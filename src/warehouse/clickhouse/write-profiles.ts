import type { Run } from '../../records/warehouse/manifest.ts';
import type { StagedProfile } from '../../records/warehouse/profiles.ts';
import { keepRegistered } from '../keep-registered.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { beginBatch, devicesByRun } from './rows/batches.ts';
import { requireRuns } from './rows/current-runs.ts';
import { fileOfBatch, runId } from './rows/run-ids.ts';
import { devicesIn, runIdExpression, runNumberExpression, stagedRun, within } from './rows/sql.ts';

/** A number has two bytes. */
export const runsPerProfile = 2 ** 16;
const bytesPerNumber = 2;
/** About what a device and its numbers take while a server groups them. */
const bytesPerGroup = 200;

/** Writes profiles of the runs. The sweep leaves their rows alone until `held` is disposed. */
export async function writeProfiles(
  engine: Engine,
  runs: readonly Run[],
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<StagedProfile[]> {
  const staged: StagedProfile[] = [];
  for (let begin = 0; begin < runs.length; begin += runsPerProfile) {
    const sources = runs.slice(begin, begin + runsPerProfile);
    staged.push(await writeProfile(engine, sources, held, signal));
  }
  return staged;
}

/** In a batch of its own, as its run 0. */
async function writeProfile(
  engine: Engine,
  sources: readonly Run[],
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<StagedProfile> {
  const { cluster, records, devicesPerShard } = engine;
  const { runFiles } = records;
  await requireRuns(engine, sources);
  const batch = await beginBatch({ cluster, runFiles }, { jobId: null, attempt: null });
  const registration = held.use(keepRegistered(runFiles, fileOfBatch(batch)));
  const numbers = sources.map((_, number) => number);
  const sql = `
    insert into profile_device (run_id, device, numbers)
    select ${runIdExpression(batch, '0')}, device,
      groupArray(toUInt16(${runNumberExpression(sources, numbers)}))
    from run_device where ${within(sources)} group by device`;
  // In passes, every pass would read all memberships. Beyond this size the server groups on disk.
  const settings = { max_bytes_before_external_group_by: devicesPerShard * bytesPerGroup };
  await cluster.onEach((shard) =>
    shard.execute(sql, { signal, timeoutMs: longTimeoutMs, settings }),
  );
  const id = runId(batch, 0);
  const counts = await devicesByRun(cluster, batch, signal, 'profile_device');
  await registration.check();
  const { segmentId: _, ...run } = stagedRun(id, 0, counts.get(String(id)) ?? 0);
  return { run: { ...run, bytes: run.bytes + devicesIn(sources) * bytesPerNumber }, sources };
}
