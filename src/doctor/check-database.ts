import { type Finding, failure, ok, warning } from '../domain/finding.ts';
import type { Records } from '../records/records.ts';

const oldestServer = 14;
const fewConnections = 0.1;

/** The versions, the clock, the connections and the secrets of the database. */
export async function checkDatabase(records: Records): Promise<Finding[]> {
  const state = await records.serverState();
  const findings = [
    state.majorVersion < oldestServer
      ? failure(
          'database',
          `PostgreSQL ${state.majorVersion}`,
          `Upgrade it to version ${oldestServer} or later.`,
        )
      : ok('database', `PostgreSQL ${state.majorVersion}`),
    checkClock('clock', state.clockAheadSeconds, 'the database'),
  ];
  const { version, supported } = await records.schemaVersion();
  const schema = `version ${version}, this program supports ${supported}`;
  if (version > supported) {
    findings.push(failure('schema', schema, 'Use the newer version of Tributary on this machine.'));
  } else if (version < supported) {
    findings.push(warning('schema', schema, 'Restart the service to migrate the database.'));
  } else findings.push(ok('schema', schema));
  const free = state.maxConnections - state.connections;
  const used = `${state.connections} of ${state.maxConnections} connections are in use`;
  findings.push(
    free < state.maxConnections * fewConnections
      ? warning('connections', used, 'Raise max_connections, or run fewer processes.')
      : ok('connections', used),
  );
  return [...findings, ...(await checkSecrets(records))];
}

const slightSkewSeconds = 2;
const seriousSkewSeconds = 60;

/** `aheadSeconds` is positive if the other clock is ahead. */
export function checkClock(check: string, aheadSeconds: number, of: string): Finding {
  const skew = Math.abs(aheadSeconds);
  const direction = aheadSeconds > 0 ? 'ahead of' : 'behind';
  const found = `the clock of ${of} is ${skew.toFixed(1)} s ${direction} this machine's`;
  const advice = 'Run NTP (chrony or systemd-timesyncd) on both machines.';
  if (skew > seriousSkewSeconds) return failure(check, found, advice);
  return skew > slightSkewSeconds ? warning(check, found, advice) : ok(check, found);
}

async function checkSecrets({ sealedSecrets }: Records): Promise<Finding[]> {
  const text = (found: readonly { what: string; values: number }[]) =>
    found.map(({ what, values }) => `${what}: ${values}`).join(', ');
  const unreadable = await sealedSecrets.countUnreadable();
  if (unreadable.length > 0) {
    const advice = 'Add the missing key to TRIBUTARY_SECRET_KEY, after the others, and restart.';
    return [failure('secrets', `encrypted with an unknown key: ${text(unreadable)}`, advice)];
  }
  const outdated = await sealedSecrets.countOutdated();
  if (outdated.length > 0) {
    const advice = 'Run: tributary secret-key reseal';
    return [warning('secrets', `encrypted with an older key: ${text(outdated)}`, advice)];
  }
  return [ok('secrets', 'all encrypted with the newest key')];
}
