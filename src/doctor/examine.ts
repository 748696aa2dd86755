import type { Config } from '../config/config.ts';
import { messageOf } from '../domain/errors.ts';
import { type Finding, failure, ok, warning } from '../domain/finding.ts';
import { usedWarehouse } from '../domain/warehouse/address.ts';
import type { Records } from '../records/records.ts';
import type { ReplicaReport } from '../warehouse/port.ts';
import { checkDatabase } from './check-database.ts';
import { checkEndpoints } from './check-endpoints.ts';
import { checkFiles } from './check-files.ts';
import { checkMachine } from './check-machine.ts';
import { checkWarehouse } from './check-warehouse.ts';
import { checkWork } from './check-work.ts';

export interface Examination {
  /** The settings. The device sets may be in another place. */
  readonly config: Config;
  /** Null: the database cannot be opened, for the reason in `databaseError`. */
  readonly records: Records | null;
  readonly databaseError: string | null;
  /** Checks of external parts, by name, such as the bucket and the warehouse. */
  readonly parts: Readonly<Record<string, () => Promise<void>>>;
  /** The ClickHouse servers that have copies of each other. */
  readonly replicas?: (() => Promise<readonly ReplicaReport[]>) | undefined;
  /** Reads all device sets and objects from disk and verifies their checksums. */
  readonly deep: boolean;
  /** Called with the bytes that were verified. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** Looks for everything that is wrong or will be. Changes nothing. */
export async function examine(examination: Examination): Promise<Finding[]> {
  const { config: settings, records } = examination;
  // If the database does not answer, its own check says so.
  const place = await records?.warehouseCopies.place().catch(() => undefined);
  const config = { ...settings, clickhouse: usedWarehouse(settings.clickhouse, place) };
  const checks: Record<string, () => Promise<Finding[]>> = {
    settings: async () => checkSettings(config),
    'data dir': () => checkMachine(config),
    endpoints: () => checkEndpoints(config),
    parts: () => checkParts(examination.parts),
    replicas: async () => checkReplicas(await (examination.replicas?.() ?? [])),
    database: async () => (records ? checkDatabase(records) : [noDatabase(examination)]),
    warehouse: async () => (records ? checkWarehouse(settings, records) : []),
    work: async () => (records ? checkWork(config, records) : []),
    files: async () => (records ? checkFiles(config, records, examination) : []),
  };
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    findings.push(...(await check().catch((error: unknown) => [broken(name, error)])));
  }
  return findings;
}

function checkSettings({ unknownSettings }: Config): Finding[] {
  if (unknownSettings.length === 0) return [ok('settings', 'valid')];
  return unknownSettings.map((name) =>
    warning('settings', `${name} is not a setting`, 'Correct its name, or remove it.'),
  );
}

async function checkParts(parts: Examination['parts']): Promise<Finding[]> {
  return Promise.all(
    Object.entries(parts).map(async ([name, check]) => {
      try {
        await check();
        return ok(name, 'answers');
      } catch (error) {
        const advice =
          'Check the address and the credentials in the settings. Jobs wait until then.';
        return failure(name, messageOf(error), advice);
      }
    }),
  );
}

/** A replica that is down is only a warning: the service goes on with the others. */
function checkReplicas(replicas: readonly ReplicaReport[]): Finding[] {
  return replicas.map(({ name, state, reason }) =>
    state === 'up'
      ? ok(`replica ${name}`, 'has all rows')
      : warning(
          `replica ${name}`,
          `is ${state}: ${reason}`,
          'Bring the server back, or put an empty one in its place. The other replicas do its work.',
        ),
  );
}

function noDatabase({ databaseError }: Examination): Finding {
  return failure(
    'database',
    databaseError ?? 'not available',
    'Start the service or its PostgreSQL, then run this again to examine jobs and files.',
  );
}

function broken(name: string, error: unknown): Finding {
  return failure(
    name,
    `the check failed: ${messageOf(error)}`,
    'Fix the cause, then run the doctor again.',
  );
}
