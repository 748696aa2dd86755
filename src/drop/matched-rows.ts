import { type Bitmap, createBitmap } from './bitmap.ts';
import type { DropArchive } from './lists.ts';
import type { Matches } from './suppressions.ts';

/** The numbers of the rows of an archive whose digests matched. Reads the archive once for each part. */
export async function findMatchedRows(
  archive: DropArchive,
  itemRows: number,
  parts: AsyncIterable<Matches>,
): Promise<Bitmap> {
  const matched = createBitmap(itemRows);
  for await (const part of parts) {
    for await (const { first, digests } of archive.items()) {
      const flags = await part.among(digests);
      for (const [n, flag] of flags.entries()) if (flag === 1) matched.add(first + n);
    }
  }
  return matched;
}
