import type { SupplierBasis, SupplierPair } from '../../records/audiences/baselines.ts';
import type { Records } from '../../records/records.ts';
import type { Warehouse } from '../../warehouse/port.ts';

export interface BaselineDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse;
}

/** If attributes change during the count, it is repeated, at most this often. */
const maxAttempts = 3;

/** Counts the devices that the supplier knows, and those of the audience among them. */
export async function countSupplier(
  { records, warehouse }: BaselineDependencies,
  pair: SupplierPair,
  signal: AbortSignal,
): Promise<void> {
  const { baselines } = records;
  for (let attempt = 1; ; attempt++) {
    const basis = await baselines.basis(pair);
    if (!basis) return;
    if (basis.isCounted) return await baselines.confirm(pair, basis);
    const counts = await countNow(warehouse, basis, signal);
    // A count that mixes two states is never shown: its noise belongs to one state.
    const isSettled = hasSameContent(basis, await baselines.basis(pair));
    if (isSettled) return await baselines.save(pair, basis, counts);
    if (attempt === maxAttempts) throw new Error('attributes changed during every attempt');
  }
}

async function countNow(
  warehouse: Warehouse,
  { segmentId, supplierSegments }: SupplierBasis,
  signal: AbortSignal,
) {
  const supplierDevices = await warehouse.countDistinct(supplierSegments, signal);
  const allOfAudience = await warehouse.countDistinct([segmentId], signal);
  const together = await warehouse.countDistinct([segmentId, ...supplierSegments], signal);
  const common = allOfAudience + supplierDevices - together;
  return {
    supplierDevices,
    // Beyond the limits only if the sets changed in between.
    audienceDevices: Math.max(0, Math.min(common, allOfAudience, supplierDevices)),
  };
}

function hasSameContent(one: SupplierBasis, other: SupplierBasis | undefined): boolean {
  return (
    one.segmentVersion === other?.segmentVersion && one.attributesDigest === other.attributesDigest
  );
}
