/**
 * Loads the programs of all threads, so that the compile cache has them before the first thread starts.
 * Outside a thread they do nothing.
 */
import '../intake/read/inflater-thread.ts';
import '../intake/scan/scanner-thread.ts';
import '../intake/scan/small-file-thread.ts';
import '../objects/disk/write-thread.ts';
import '../warehouse/clickhouse/load/tasks/shard-thread.ts';
import '../warehouse/clickhouse/load/tasks/small-shard-thread.ts';
import '../warehouse/runs/load/tasks/load-thread.ts';
import '../warehouse/runs/load/tasks/small-load-thread.ts';
import '../warehouse/runs/sets/sets-thread.ts';
