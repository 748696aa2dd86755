import { createHash } from 'node:crypto';
import type { Run } from '../../records/warehouse/manifest.ts';
import type { Comparison, CopiedRun } from '../../records/warehouse/warehouse-copies.ts';
import { type RunContent, RunsMissing, type RunTransfer } from '../../warehouse/port.ts';

/** The old and the new place. */
export interface Places {
  readonly source: RunTransfer;
  readonly target: RunTransfer;
}

/** Copies runs, and checks the devices that the new place has counted in each. */
export async function copyRuns(
  { source, target }: Places,
  runs: readonly Run[],
  signal: AbortSignal,
): Promise<CopiedRun[]> {
  const copies = await target.writeRuns(source.readRuns(runs, signal), signal);
  return runs.map((run, i) => {
    const copy = copies[i];
    if (copy?.devices === run.devices && copy.segmentId === run.segmentId) return { run, copy };
    throw new Error(
      `run ${run.runId} of segment ${run.segmentId} has ${run.devices} devices, but its copy has ${copy?.devices ?? 0}`,
    );
  });
}

/** Devices that are read from both places before the switch. */
const comparedDevices = 10_000_000;

/** Reads segments from both places, the small ones first, and throws if one differs. */
export async function compareSegments(
  { source, target }: Places,
  copies: readonly CopiedRun[],
  signal: AbortSignal,
): Promise<Comparison> {
  const bySegment = [...Map.groupBy(copies, ({ run }) => run.segmentId).values()];
  const sized = bySegment.map((runs) => ({ runs, devices: devicesOf(runs) }));
  let segments = 0;
  let devices = 0;
  for (const each of sized.sort((a, b) => a.devices - b.devices)) {
    if (segments > 0 && devices + each.devices > comparedDevices) break;
    const runs = each.runs.map(({ run }) => run);
    const digests = await digestsOf(source, runs, signal).catch((error) => {
      // Runs that were replaced and swept meanwhile need not be compared.
      if (error instanceof RunsMissing) return null;
      throw error;
    });
    if (!digests) continue;
    const inTarget = each.runs.map(({ run, copy }) => ({ ...copy, runId: run.runId }));
    const found = await digestsOf(target, inTarget, signal);
    const differing = runs.find((_, i) => digests[i] !== found[i]);
    if (differing) {
      throw new Error(
        `run ${differing.runId} of segment ${differing.segmentId} differs from its copy`,
      );
    }
    segments++;
    devices += each.devices;
  }
  return { segments, devices };
}

function devicesOf(runs: readonly CopiedRun[]): number {
  return runs.reduce((sum, { run }) => sum + run.devices, 0);
}

async function digestsOf(
  place: RunTransfer,
  runs: readonly Run[],
  signal: AbortSignal,
): Promise<string[]> {
  const digests: string[] = [];
  for await (const content of place.readRuns(runs, signal)) digests.push(await digestOf(content));
  return digests;
}

async function digestOf({ devices }: RunContent): Promise<string> {
  const hash = createHash('sha256');
  for await (const { buffer, byteOffset, byteLength } of devices) {
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex');
}
