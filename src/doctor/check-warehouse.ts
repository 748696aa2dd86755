import type { Config } from '../config/config.ts';
import { type Finding, ok, warning } from '../domain/finding.ts';
import { isSameWarehouse, usedWarehouse } from '../domain/warehouse/address.ts';
import type { Records } from '../records/records.ts';

/** Checks that the setting names the place of the device sets, and reports unfinished steps of a move. */
export async function checkWarehouse(
  { clickhouse: setting }: Config,
  { warehouseCopies }: Records,
): Promise<Finding[]> {
  const place = await warehouseCopies.place();
  const copy = await warehouseCopies.latest();
  const findings: Finding[] = [];
  if (place && !isSameWarehouse(usedWarehouse(setting, place), setting)) {
    const advice =
      place.kind === 'folder'
        ? 'Remove TRIBUTARY_WAREHOUSE from the settings of all processes. No restart is needed.'
        : 'Set TRIBUTARY_WAREHOUSE to that place in the settings of all processes. No restart is needed.';
    const found = `the settings name another place. The device sets are in ${place.address}`;
    findings.push(warning('warehouse place', found, advice));
  }
  if (copy?.problem) {
    const advice = 'Fix the cause; the copy continues. Or run: tributary warehouse copy --abort';
    findings.push(warning('warehouse copy', copy.problem, advice));
  }
  if (copy?.from && (copy.state === 'done' || copy.state === 'forgetting')) {
    findings.push(
      warning(
        'old warehouse',
        `${copy.from.address} still has the device sets as they were before the move. Privacy requests are not done until it is deleted`,
        'When you no longer need it, run: tributary warehouse copy --forget',
      ),
    );
  }
  return findings.length > 0 || !place
    ? findings
    : [ok('warehouse place', `the device sets are in ${place.address}`)];
}
