import { Type } from 'typebox';
import { suppressionReasons } from '../../domain/composition.ts';
import {
  type Disclosures,
  disclosureModes,
  shownSize,
} from '../../domain/disclosure/disclosure.ts';
import type { Audience } from '../../records/audiences/audiences.ts';
import type { Supplier } from '../../records/audiences/baselines.ts';
import type { Composition, ListedAttribute } from '../../records/audiences/compositions.ts';
import { csvLine } from '../server/csv-line.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';
import type { Baseline } from './report-baseline.ts';
import type { ReportCounts } from './report-counts.ts';
import type { ReportCell } from './report-figures.ts';

/** The composition report in responses. */

export const Figure = (description: string, example: number) =>
  Nullable(Type.Number(), { description, examples: [example] });

const AttributeSchema = Type.Object({
  attribute_id: Id('An attribute of any partner.'),
  name: Type.String({ examples: ['Autos > Intenders'] }),
  partner_id: Id('The supplier of the attribute.'),
  audience_devices: Nullable(Type.Integer(), {
    description: 'Matched devices of the audience that have the attribute.',
    examples: [200],
  }),
  audience_share: Figure('Share of the matched devices, or of those known to the supplier.', 0.2),
  audience_share_low: Figure(
    'Lower bound of the 95% confidence interval of audience_share (Wilson score interval).',
    0.1764,
  ),
  audience_share_high: Figure(
    'Upper bound of the 95% confidence interval of audience_share.',
    0.2259,
  ),
  baseline_devices: Nullable(Type.Integer(), {
    description: 'Devices of the baseline that have the attribute.',
    examples: [1000],
  }),
  baseline_share: Figure('Share of the baseline. Null if the baseline is empty.', 0.1),
  index: Figure('100 × audience_share / baseline_share.', 200),
  index_low: Figure(
    'Lower bound of the 95% confidence interval of the index: of the ratio of shares, by its logarithm (delta method). It takes into account that the audience is part of the baseline. Two audiences are taken as independent.',
    178.73,
  ),
  index_high: Figure('Upper bound of the 95% confidence interval of the index.', 223.8),
  z: Figure(
    'By how many standard errors audience_share exceeds the share among the devices of the baseline that are not in the audience (pooled two-proportion z-test).',
    11.11,
  ),
  q: Figure(
    'The false discovery rate of z among all attributes of the report (Benjamini–Hochberg): of the attributes with a q below 0.05, about 5% or fewer are expected to differ by chance alone.',
    0.0001,
  ),
  exact: Type.Boolean({
    description:
      'Whether audience_devices and baseline_devices are exact. Otherwise they have noise, and what is computed from them takes it into account.',
    examples: [true],
  }),
  suppressed: Nullable(Type.Enum([...suppressionReasons]), {
    description:
      'Why figures are null. `audience_too_small`, `too_few_devices` (with the attribute) and `too_few_others` (without it): fewer devices than the suppression threshold, which is 50 unless the operator changes it. `too_few_in_baseline`: the same for the baseline. `no_devices_outside`: the audience is the whole baseline, so there is no z.',
    examples: [null],
  }),
});

/** The sizes of audience and universe. */
export const sizeMembers = {
  universe_devices: Type.Integer({
    description:
      'All devices that have an attribute of any partner. Has noise if reports are protected.',
    examples: [10000],
  }),
  unique_devices: Type.Integer({
    description: 'Distinct devices in the audience.',
    examples: [1250],
  }),
  matched_devices: Type.Integer({
    description: 'The unique devices that are in the universe. Has noise if reports are protected.',
    examples: [1000],
  }),
};

export const CompositionSchema = Type.Object({
  audience_id: Id('The id of the audience.'),
  default_warehouse_segment_id: Id(
    'Identifies this report in the console: `/console/segments/<id>`.',
  ),
  computed_at: Timestamp,
  universe_version: Type.Integer({ description: 'The version of the universe that was used.' }),
  stale: Type.Boolean({
    description: 'Whether the audience or an attribute has changed since.',
    examples: [false],
  }),
  disclosure: Type.Object(
    {
      mode: Type.Enum([...disclosureModes], {
        description:
          '`protected`: counts that depend on the data of other partners have noise. `exact`: none has.',
        examples: ['protected'],
      }),
      scale: Nullable(Type.Number(), {
        description:
          'The scale of the noise (discrete Laplace distribution), in devices. The same contents always get the same noise. Null if there is no noise.',
        examples: [10],
      }),
      sizes_exact: Type.Boolean({
        description:
          'Whether universe_devices and matched_devices are exact. unique_devices and events always are.',
        examples: [false],
      }),
      held_until: Nullable(Timestamp, {
        description:
          'The time until which an outdated report is not refreshed, because the partner has reached its daily limit of reported contents. Null if a refresh is not held back.',
        examples: [null],
      }),
    },
    { description: 'What the report reveals of the data of other partners.' },
  ),
  ...sizeMembers,
  baseline: Type.Object(
    {
      choice: Type.String({
        description: 'As in the query parameter `baseline`.',
        examples: ['universe'],
      }),
      name: Nullable(Type.String(), {
        description: 'The name of the supplier or of the other audience. Null for the universe.',
        examples: [null],
      }),
      devices: Type.Integer({
        description: 'The devices that the audience is compared with.',
        examples: [10000],
      }),
      audience_devices: Type.Integer({
        description:
          'The devices of the audience that are compared: the matched ones, or those known to the supplier.',
        examples: [1000],
      }),
    },
    { description: 'What the attributes are compared with.' },
  ),
  suppliers: Type.Array(
    Type.Object({
      partner_id: Id('The supplier, for `baseline=partner:<id>`.'),
      name: Type.String({ examples: ['Northwind'] }),
    }),
    { description: 'Every partner that has attributes, ordered by name.' },
  ),
  attributes: Type.Array(AttributeSchema, {
    description:
      'Every attribute of the marketplace, or of the supplier that was chosen as the baseline, ordered by attribute_id.',
  }),
  events: Type.Array(
    Type.Object({
      label: Type.String({ examples: ['purchase'] }),
      devices: Type.Integer({
        description: 'Distinct devices with this label.',
        examples: [500],
      }),
      share: Figure('Share of unique_devices. Null if there are none.', 0.4),
    }),
    {
      description:
        "The event labels of the files, in order of first appearance. Their counts are exact and never withheld, because they come from the audience's own files.",
    },
  ),
});

const columns = Object.keys(AttributeSchema.properties) as (keyof AttributeRow)[];

export const csvHeader = columns.join();

type AttributeRow = ReturnType<typeof attributeRow>;

/** Everything that the members of a report before its attributes are taken from. */
export interface ReportHead {
  readonly audience: Audience;
  readonly composition: Composition;
  readonly counts: ReportCounts;
  readonly baseline: Baseline;
  readonly suppliers: readonly Supplier[];
  readonly disclosures: Disclosures;
}

/** The members of a report before its attributes. */
export function compositionOnTheWire(report: ReportHead) {
  const { audience, composition, counts, baseline, suppliers, disclosures } = report;
  const { uniqueDevices, released, heldUntil } = composition;
  const { mode, scale } = disclosures.of(composition.disclosure);
  const { threshold } = disclosures.rules;
  return {
    audience_id: audience.audienceId,
    default_warehouse_segment_id: audience.segmentId,
    computed_at: composition.computedAt.toISOString(),
    universe_version: composition.universeVersion,
    stale: composition.stale || baseline.stale,
    disclosure: {
      mode,
      scale,
      sizes_exact: mode === 'exact' || released?.isOwn === true,
      held_until: heldUntil && composition.stale ? heldUntil.toISOString() : null,
    },
    universe_devices: shownSize(counts.universe, threshold),
    unique_devices: uniqueDevices,
    matched_devices: shownSize(counts.matched, threshold),
    baseline: {
      choice: baseline.choice,
      name: baseline.name,
      devices: shownSize(baseline.population.baseline, threshold),
      audience_devices: shownSize(baseline.population.matched, threshold),
    },
    suppliers: suppliers.map(({ partnerId, name }) => ({ partner_id: partnerId, name })),
  };
}

/** The last member of a report. */
export function eventsOnTheWire({ uniqueDevices, events }: Composition) {
  return events.map(({ label, devices }) => ({
    label,
    devices,
    share: uniqueDevices === 0 ? null : devices / uniqueDevices,
  }));
}

export function attributeRowAsCsv(row: AttributeRow): string {
  return csvLine(columns.map((column) => row[column]));
}

export function attributeRow({ attributeId, name, partnerId }: ListedAttribute, cell: ReportCell) {
  return {
    attribute_id: attributeId,
    name,
    partner_id: partnerId,
    audience_devices: cell.audienceDevices,
    audience_share: cell.audienceShare,
    audience_share_low: cell.audienceShareLow,
    audience_share_high: cell.audienceShareHigh,
    baseline_devices: cell.baselineDevices,
    baseline_share: cell.baselineShare,
    index: cell.index,
    index_low: cell.indexLow,
    index_high: cell.indexHigh,
    z: cell.z,
    q: cell.q,
    exact: cell.isExact,
    suppressed: cell.suppressed,
  };
}
