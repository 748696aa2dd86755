import type { Records } from '../records/records.ts';

/** Deletes some attributes of a removed partner, and their devices. Returns how many. */
export function removeAttributes(
  records: Records,
  partnerId: number,
  limit: number,
): Promise<number> {
  return records.inTransaction(async (tx) => {
    const attributes = await tx.removals.attributesOf(partnerId, limit);
    await tx.manifest.empty(
      attributes.map(({ segmentId }) => segmentId),
      'deletion',
    );
    await tx.attributes.remove(attributes);
    return attributes.length;
  });
}
