import { digestBytes, hexOfWords, wordsOfHex } from '../../domain/privacy/standard-id.ts';
import { wordsPerDevice } from '../../domain/row-batch.ts';
import type { LookupSegments, SearchedSegment } from '../../records/privacy/device-lookups.ts';
import type { StoredIdentifier } from '../../records/privacy/privacy-requests.ts';
import type { Records } from '../../records/records.ts';
import type { Maintenance, Warehouse } from '../../warehouse/port.ts';
import type { SuppressionChange } from './change-suppression.ts';
import { rowsAddingTo } from './suppression-rows.ts';

export interface LookupDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse & Pick<Maintenance, 'resolveDigests'>;
}

/** A device that an attribute or an audience holds. */
export interface HeldDevice {
  /** Its 32 digits. */
  readonly device: string;
  readonly segment: SearchedSegment;
  readonly runId: number;
}

/** Segments that are searched together. */
const segmentsAtOnce = 5_000;

/**
 * Finds the attributes and audiences that hold the devices. While it runs, the devices are in segments of
 * their own, which nothing else reads. Returns whether everything stored could be read. One process at a
 * time may call it.
 */
export async function lookUpDevices(
  { records, warehouse }: LookupDependencies,
  identifiers: readonly StoredIdentifier[],
  onHeld: (held: HeldDevice) => Promise<void>,
  signal: AbortSignal,
): Promise<{ isComplete: boolean }> {
  await removeLookups(records);
  const into = await records.deviceLookups.createSegments();
  try {
    await fill(into);
    const isResolved = await resolve(into);
    const searched = await records.deviceLookups.searched();
    for (let at = 0; at < searched.length; at += segmentsAtOnce) {
      await search(into, searched.slice(at, at + segmentsAtOnce));
    }
    return { isComplete: isResolved && (await records.damagedRuns.count()) === 0 };
  } finally {
    // If it fails, the next lookup does it.
    await removeLookups(records).catch(() => {});
  }

  async function fill({ devices, digests }: LookupSegments): Promise<void> {
    const segmentIds = [devices, digests];
    await using load = warehouse.beginLoad({ jobId: null, attempt: null });
    for (const { set, words } of changesOf(identifiers)) {
      if (words.length > 0) await load.add(rowsAddingTo(set === 'devices' ? 0 : 1, words));
    }
    const { change } = await load.stage({ segmentIds, everyRow: null, mode: 'merge' }, signal);
    await records.inTransaction((tx) => tx.manifest.apply(change));
  }

  /** Adds the stored devices whose digests are looked for. */
  async function resolve({ devices, digests }: LookupSegments): Promise<boolean> {
    if (identifiers.every(({ device }) => device !== null)) return true;
    const part = { segmentId: digests };
    const { change, isComplete } = await warehouse.resolveDigests(part, devices, signal);
    await records.inTransaction((tx) => tx.manifest.apply(change));
    return isComplete;
  }

  async function search(
    { devices: segmentId }: LookupSegments,
    searched: readonly SearchedSegment[],
  ): Promise<void> {
    const byId = new Map(searched.map((segment) => [segment.segmentId, segment]));
    for await (const held of warehouse.intersect({ segmentId }, [...byId.keys()], signal)) {
      const segment = byId.get(held.segmentId)!;
      for (let at = 0; at < held.devices.length; at += wordsPerDevice) {
        await onHeld({ device: hexOfWords(held.devices, at), segment, runId: held.runId });
      }
    }
  }
}

/** The identifiers as changes of the suppressed sets, or of segments like these. */
export function changesOf(identifiers: readonly StoredIdentifier[]): SuppressionChange[] {
  const devices = (among: typeof identifiers) =>
    packed(among.flatMap(({ device }) => device ?? []));
  const digests = identifiers
    .filter(({ device }) => device === null)
    .map(({ digest }) => digest.toString('hex', 0, digestBytes));
  return [
    { set: 'devices', words: devices(identifiers.filter(({ isFound }) => !isFound)) },
    { set: 'devices', words: devices(identifiers.filter(({ isFound }) => isFound)), isFound: true },
    { set: 'digests', words: packed(digests) },
  ];
}

function packed(hexes: readonly string[]): Uint32Array {
  const words = new Uint32Array(hexes.length * wordsPerDevice);
  for (const [i, hex] of hexes.entries()) words.set(wordsOfHex(hex), i * wordsPerDevice);
  return words;
}

async function removeLookups(records: Records): Promise<void> {
  const segmentIds = await records.deviceLookups.segments();
  if (segmentIds.length === 0) return;
  await records.inTransaction(async (tx) => {
    await tx.manifest.empty(segmentIds);
    await tx.deviceLookups.removeSegments(segmentIds);
  });
}
