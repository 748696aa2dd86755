import { openTrash } from '../../src/data-dir/trash.ts';
import { noReserve } from '../../src/domain/disk-reserve.ts';
import type { Records } from '../../src/records/records.ts';
import type { MaintainedWarehouse } from '../../src/warehouse/port.ts';
import { createRunsThreads } from '../../src/warehouse/runs/runs-threads.ts';
import { openRunsWarehouse } from '../../src/warehouse/runs/runs-warehouse.ts';

/** All tests of a process share them, because the start of a thread takes up to 160 ms of CPU. */
const threads = createRunsThreads(2);

/** The embedded engine with the small limits that tests need. */
export function openTestWarehouse(
  directory: string,
  records: Records,
  reserve = noReserve,
): Promise<MaintainedWarehouse> {
  const trash = openTrash(directory, 7);
  const memoryBytes = 32 * 1024 * 1024;
  return openRunsWarehouse({
    directory,
    records,
    threads,
    memoryBytes,
    lanes: 8,
    reserve,
    trash,
    // Some tests load more than that, and have profiles.
    profiledFrom: 100,
  });
}
