import type { Config } from '../config/config.ts';
import { acceptOlderDatabase } from '../data-dir/data-age.ts';
import { lockDataDir } from '../data-dir/data-dir.ts';

/** Makes the next start accept a database that is older than the files in the data dir. */
export async function acceptDatabase({ dataDir }: Config): Promise<void> {
  // Fails if the service runs: it has a database that it accepted.
  using _dataDir = await lockDataDir(dataDir);
  await acceptOlderDatabase(dataDir);
}
