import { Type } from 'typebox';
import { compositionCell, suppressionReasons } from '../../domain/composition.ts';
import type { Audience } from '../../records/audiences/audiences.ts';
import type { Composition } from '../../records/audiences/compositions.ts';
import { csvLine } from '../server/csv-line.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';

/** What an audience is composed of, as it is put on the wire. */

const Figure = (description: string, example: number) =>
  Nullable(Type.Number(), { description, examples: [example] });

const AttributeSchema = Type.Object({
  attribute_id: Id('Of any partner.'),
  name: Type.String({ examples: ['Autos > Intenders'] }),
  audience_devices: Nullable(Type.Integer(), {
    description: 'Matched devices of the audience that carry it.',
    examples: [200],
  }),
  audience_share: Figure('Of the matched devices.', 0.2),
  baseline_devices: Type.Integer({ description: 'All devices that carry it.', examples: [1000] }),
  baseline_share: Figure('Of the universe; null if that is empty.', 0.1),
  index: Figure('100 × audience_share / baseline_share.', 200),
  index_low: Figure(
    "The lower end of the index's 95% interval: of the ratio of shares, by its logarithm (delta method), the shares taken as independent.",
    174.36,
  ),
  index_high: Figure('Its upper end.', 229.41),
  z: Figure(
    'How many standard errors audience_share lies above the share of it among the devices of the universe that are not in the audience (two proportions, pooled).',
    11.11,
  ),
  suppressed: Nullable(Type.Enum([...suppressionReasons]), {
    description:
      'Why figures are null: `audience_too_small`, `too_few_devices` with the attribute or `too_few_others` without it, by the suppression threshold (50 unless the operator set another); `no_devices_outside` if the audience is the whole universe, of which there is no z.',
    examples: [null],
  }),
});

export const CompositionSchema = Type.Object({
  audience_id: Id('Which audience.'),
  default_warehouse_segment_id: Id('Leads to this report in the console.'),
  computed_at: Timestamp,
  universe_version: Type.Integer({ description: 'Which version of the universe it is of.' }),
  stale: Type.Boolean({
    description: 'Whether something it was computed from has changed since.',
    examples: [false],
  }),
  universe_devices: Type.Integer({
    description: 'All devices that carry an attribute of any partner.',
    examples: [10000],
  }),
  unique_devices: Type.Integer({
    description: 'Distinct devices of the audience.',
    examples: [1250],
  }),
  matched_devices: Type.Integer({
    description: 'Those of them in the universe.',
    examples: [1000],
  }),
  attributes: Type.Array(AttributeSchema, {
    description: 'Every attribute of the marketplace, by attribute_id.',
  }),
  events: Type.Array(
    Type.Object({
      label: Type.String({ examples: ['purchase'] }),
      devices: Type.Integer({
        description: 'Distinct devices that came with it.',
        examples: [500],
      }),
      share: Figure('Of unique_devices; null if there are none.', 0.4),
    }),
    { description: 'The event labels of the files, in the order in which they came.' },
  ),
});

const columns = Object.keys(AttributeSchema.properties) as (keyof AttributeRow)[];

export const csvHeader = columns.join();

type AttributeRow = ReturnType<typeof attributeRow>;

export function compositionOnTheWire(
  audience: Audience,
  composition: Composition,
  threshold: number,
) {
  const { uniqueDevices } = composition;
  return {
    audience_id: audience.audienceId,
    default_warehouse_segment_id: audience.segmentId,
    computed_at: composition.computedAt.toISOString(),
    universe_version: composition.universeVersion,
    stale: composition.stale,
    universe_devices: composition.universeDevices,
    unique_devices: uniqueDevices,
    matched_devices: composition.matchedDevices,
    attributes: attributeRows(composition, threshold),
    events: composition.events.map(({ label, devices }) => ({
      label,
      devices,
      share: uniqueDevices === 0 ? null : devices / uniqueDevices,
    })),
  };
}

/** The attributes alone, a line for each. */
export function compositionAsCsv(composition: Composition, threshold: number): string {
  const rows = attributeRows(composition, threshold);
  const lines = rows.map((row) => csvLine(columns.map((column) => row[column])));
  return csvLine(columns) + lines.join('');
}

function attributeRows(composition: Composition, threshold: number): AttributeRow[] {
  return composition.attributes.map((attribute) => attributeRow(composition, attribute, threshold));
}

function attributeRow(
  composition: Composition,
  attribute: Composition['attributes'][number],
  threshold: number,
) {
  const cell = compositionCell(composition, attribute, threshold);
  return {
    attribute_id: attribute.attributeId,
    name: attribute.name,
    audience_devices: cell.audienceDevices,
    audience_share: cell.audienceShare,
    baseline_devices: attribute.baselineDevices,
    baseline_share: cell.baselineShare,
    index: cell.index,
    index_low: cell.indexLow,
    index_high: cell.indexHigh,
    z: cell.z,
    suppressed: cell.suppressed,
  };
}
