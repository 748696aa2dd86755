import type { Records } from '../../../src/records/records.ts';

/** The records for an engine in the place of the device sets, which may have moved. */
export async function inCurrentPlace(records: Records): Promise<Records> {
  const place = await records.warehouseCopies.place();
  return records.inPlace(place?.copyId ?? null);
}
