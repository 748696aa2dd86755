import type { paths } from '../../client/openapi.ts';
import { card, count, type Row, table, time } from './print.ts';

export type Composition =
  paths['/v2/firstparty/audience/{audience_id}/composition']['get']['responses'][200]['content']['application/json'];
type AttributeCells = Composition['attributes'][number];

/** A composition report as text, with the highest index first. */
export function compositionText(report: Composition): string {
  const members = card({
    audience: String(report.audience_id),
    computed: computedText(report),
    'unique devices': report.unique_devices,
    'matched devices': report.matched_devices,
    universe: `${count(report.universe_devices)} devices, version ${report.universe_version}`,
    baseline: baselineText(report.baseline),
    ...(report.disclosure.mode === 'protected' && { protection: protectionText(report) }),
  });
  const attributes = report.attributes.toSorted(byIndex);
  const numbers = ['index', '95 % interval', 'z', 'q', 'devices', 'share', 'baseline'];
  const parts = [members, table(attributes.map(attributeRow), 'There are no attributes.', numbers)];
  if (report.events.length > 0) parts.push(table(report.events.map(eventRow), '', ['share']));
  return parts.join('\n\n');
}

function computedText({ computed_at, stale, disclosure }: Composition): string {
  const computed = time(computed_at);
  if (!stale) return computed;
  const { held_until } = disclosure;
  return held_until === null
    ? `${computed}, out of date`
    : `${computed}, out of date; not refreshed until ${time(held_until)}: daily limit of reported contents reached`;
}

function protectionText({ disclosure }: Composition): string {
  const sizes = disclosure.sizes_exact ? '' : ', and so do matched devices and universe';
  return `counts with ~ have noise of scale ${disclosure.scale}${sizes}`;
}

function baselineText({
  choice,
  name,
  devices,
  audience_devices: common,
}: Composition['baseline']) {
  const named = name === null ? choice : `${choice} (${name})`;
  return `${named}: ${count(common)} of the audience against ${count(devices)} devices`;
}

/** The highest index first, and rows without one last. */
function byIndex(one: AttributeCells, other: AttributeCells): number {
  return (other.index ?? -1) - (one.index ?? -1);
}

function attributeRow(cells: AttributeCells): Row {
  const { index, index_low: low, index_high: high, suppressed } = cells;
  const orStar = (text: string | null) => text ?? (suppressed === null ? null : '*');
  return {
    index: orStar(decimal(index)),
    '95 % interval': orStar(
      low === null || high === null ? null : `${decimal(low)}–${decimal(high)}`,
    ),
    z: orStar(decimal(cells.z)),
    q: orStar(probability(cells.q)),
    devices: orStar(
      cells.audience_devices === null
        ? null
        : `${cells.exact ? '' : '~'}${count(cells.audience_devices)}`,
    ),
    share: orStar(percent(cells.audience_share)),
    baseline: percent(cells.baseline_share),
    attribute: suppressed === null ? cells.name : `${cells.name}  (* ${reason(suppressed)})`,
  };
}

function reason(suppressed: string): string {
  return suppressed.replaceAll('_', ' ');
}

function eventRow({ label, devices, share }: Composition['events'][number]): Row {
  return { event: label, devices, share: percent(share) };
}

function decimal(value: number | null): string | null {
  return value === null ? null : fixed(value, 1);
}

function probability(value: number | null): string | null {
  if (value === null) return null;
  return value > 0 && value < 0.001 ? '<0.001' : fixed(value, 3);
}

function percent(share: number | null): string | null {
  return share === null ? null : `${fixed(share * 100, 2)} %`;
}

function fixed(value: number, digits: number): string {
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
