import { createArchiveStore } from '../../../src/drop/archive-store.ts';
import { createDropClient } from '../../../src/drop/client.ts';
import { syncDrop } from '../../../src/drop/sync.ts';
import { openDiskStore } from '../../../src/objects/disk/disk-store.ts';
import { openDatabase } from '../../../src/records/database/connection.ts';
import { createRecords } from '../../../src/records/records.ts';
import { testSealing } from '../sealing.ts';
import { mortal } from './mortal.ts';
import { remoteSuppressions } from './remote-suppressions.ts';

export interface DropProgramOptions {
  readonly url: string;
  readonly schema: string;
  readonly folder: string;
  readonly dropUrl: string;
  readonly apiKey: string;
  readonly mostBytes: number;
  /** The process kills itself after the first effect with this name. */
  readonly effect: string;
}

// Exit with the test, even if it ends early.
process.on('disconnect', () => process.exit());

const options: DropProgramOptions = JSON.parse(process.argv[2]!);
const db = openDatabase({ ...options, maxConnections: 4 });
const records = createRecords(db, testSealing);
const objects = await openDiskStore(options.folder, records.objectIndex, records.uploads);
const deps = mortal(
  {
    records,
    store: createArchiveStore(objects),
    suppressions: remoteSuppressions(),
    client: createDropClient(options.dropUrl, options.apiKey),
    days: 7,
    mostBytes: options.mostBytes,
    now: () => new Date('2026-03-12T20:00:00Z'),
  },
  (effect) => {
    if (effect === options.effect) process.kill(process.pid, 'SIGKILL');
  },
);
const { signal } = new AbortController();
for (let run = 0; run < 20; run += 1) await syncDrop(deps, signal);
