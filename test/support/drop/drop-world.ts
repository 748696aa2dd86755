import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { createArchiveStore } from '../../../src/drop/archive-store.ts';
import { createDropClient } from '../../../src/drop/client.ts';
import { type SyncDependencies, syncDrop } from '../../../src/drop/sync.ts';
import type { DropCycle } from '../../../src/records/privacy/drop-cycles.ts';
import { type FreshDiskStore, freshDiskStore } from '../disk-store.ts';
import { type DropServer, startDropServer, type WorkItem } from './drop-server.ts';
import { hashOfMaid } from './hash-of-maid.ts';
import {
  createSuppressionModel,
  digestTextOf,
  type SuppressionModel,
} from './suppression-model.ts';

/** The service's side of DROP, with a real database and object store, and both neighbours as models. */
export interface DropWorld extends AsyncDisposable {
  readonly disk: FreshDiskStore;
  readonly records: FreshDiskStore['database']['records'];
  readonly server: DropServer;
  readonly model: SuppressionModel;
  readonly deps: SyncDependencies;
  /** One run of the task. */
  sync(deps?: Partial<SyncDependencies>): Promise<Record<string, number>>;
  /** Makes waits for DROP end. */
  forward(): Promise<void>;
  /** Runs the task until there is nothing to do before the next session. Waits take no time. */
  settle(deps?: Partial<SyncDependencies>): Promise<void>;
  /** The next session, to its end. */
  nextSession(deps?: Partial<SyncDependencies>): Promise<void>;
  cycles(): Promise<DropCycle[]>;
  /** Everything that DROP and the model know in the end. Times are left out. */
  outcome(): Promise<unknown>;
}

/** Outside of the maintenance of DROP. */
export const noon = new Date('2026-03-12T20:00:00Z');
const mostRuns = 60;

/** The nth identifier. */
export function maid(n: number): string {
  return `a3f1c2d4-5678-90ab-cdef-${n.toString(16).padStart(12, '0')}`;
}

/** The nth work item, of the nth identifier unless another is given. */
export function item(n: number, of = maid(n)): WorkItem {
  return { id: `Item${String(n).padStart(8, '0')}`, hash: hashOfMaid(of) };
}

let shared: FreshDiskStore | undefined;

/** The worlds of a test file follow each other on one disk. Call it at the top of the file. */
export function shareDisk(): void {
  beforeAll(async () => {
    shared = await freshDiskStore();
  });
  afterAll(() => shared?.[Symbol.asyncDispose]());
}

/** Begins from nothing. */
export async function startDropWorld(selected?: readonly string[]): Promise<DropWorld> {
  await using starting = new AsyncDisposableStack();
  const disk = shared!;
  await sql`
    truncate drop_schedule, drop_call, drop_file, drop_cycle restart identity
  `.execute(disk.database.db);
  await disk.objects.removeAll('drop/', new AbortController().signal);
  const server = starting.use(await startDropServer(selected));
  const { records, db } = disk.database;
  const model = createSuppressionModel();
  const deps: SyncDependencies = {
    records,
    store: createArchiveStore(disk.objects),
    suppressions: model,
    client: createDropClient(server.url, server.apiKey),
    days: 7,
    mostBytes: 10_000_000,
    now: () => noon,
  };
  const forever = new AbortController().signal;
  const resources = starting.move();

  const world: DropWorld = {
    disk,
    records,
    server,
    model,
    deps,
    sync: (others = {}) => syncDrop({ ...deps, ...others }, forever),

    async forward() {
      await sql`update drop_schedule set call_at = now()`.execute(db);
    },

    async settle(others) {
      for (let run = 0; run < mostRuns; run += 1) {
        await world.forward();
        await world.sync(others);
        const open = (await records.dropCycles.open()).some(({ kind }) => kind === 'api');
        const schedule = await records.dropSchedule.read();
        const held = (await records.dropFiles.heldAmendments()).length > 0;
        const ready = await records.dropFiles.openAmendments('api');
        const isNew = ready.some(({ answeredAt }) => answeredAt === null);
        if (!open && !held && !isNew && !schedule?.isDue) return;
      }
      throw new Error(`not settled: ${(await records.dropSchedule.read())?.problem}`);
    },

    async nextSession(others) {
      await sql`update drop_schedule set session_at = now()`.execute(db);
      await world.settle(others);
    },

    cycles: () => records.dropCycles.list(100, null),

    async outcome() {
      const cycles = await world.cycles();
      const files = await Promise.all(
        cycles.map((each) => records.dropFiles.ofCycle(each.cycleId)),
      );
      return {
        cycles: cycles.map((cycle) => ({
          state: cycle.state,
          lists: cycle.lists,
          problem: cycle.problem,
          sha256: cycle.archiveSha256?.toString('hex'),
          counts: [cycle.itemRows, cycle.repeatedRows, cycle.removedRows, cycle.liftedRows],
        })),
        files: files.flat().map((file) => [file.batch, file.name, file.sha256.toString('hex')]),
        states: files.flat().map(({ state }) => state),
        statuses: [...server.statuses].sort(),
        // An amendment may go before or after the next response.
        accepted: server.accepted.toSorted((one, other) => one.name.localeCompare(other.name)),
        violations: server.violations,
        stored: [...model.stored].sort(),
        suppressed: [...model.suppressed].sort(),
      };
    },

    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
  return world;
}

/** Refuses reports that are not true at the moment they arrive. */
export function watchReports(
  { server, model }: DropWorld,
  items: readonly (WorkItem & { maid: string })[],
): void {
  const digests = new Map(items.map((each) => [each.id, digestTextOf(each.maid)]));
  server.onRows = (rows) => {
    for (const [id, status] of rows) {
      if (!model.isTrue(digests.get(id)!, status)) {
        server.violations.push(`${id} was reported as ${status}, which is not true`);
      }
    }
  };
}
