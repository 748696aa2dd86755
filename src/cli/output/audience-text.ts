import type { paths } from '../../client/openapi.ts';
import { type Problem, problemText, statusText } from './outcome-text.ts';
import { card, count, table } from './print.ts';

type Audience =
  paths['/v2/firstparty/audience']['get']['responses'][200]['content']['application/json'][number];

export type AudienceDetails =
  paths['/v2/firstparty/audience/{audience_id}']['get']['responses'][200]['content']['application/json'];

type AudienceChange =
  paths['/v2/firstparty/audience/{audience_id}/history']['get']['responses'][200]['content']['application/json'][number];

export function audienceTable(audiences: readonly Audience[]): string {
  const rows = audiences.map((each) => ({
    id: String(each.audience_id),
    name: each.name,
    status: statusText(each),
    uploaded: each.uploaded_devices,
    unique: each.unique_devices,
    matched: each.matched_devices,
    updated: each.updated_at,
  }));
  return table(rows, 'There are no audiences yet.');
}

export function audienceHistoryTable(changes: readonly AudienceChange[]): string {
  const rows = changes.map((each) => ({
    changed: each.changed_at,
    why: each.reasons.join(', '),
    unique: each.unique_devices,
    matched: each.matched_devices,
    'match rate': each.match_rate === null ? null : `${(100 * each.match_rate).toFixed(1)}%`,
    'largest attributes': each.top_attributes
      .map(({ name, audience_devices }) => `${name} (${count(audience_devices)})`)
      .join(', '),
  }));
  return table(rows, 'Nothing has changed yet.', ['match rate']);
}

/** One audience with its files and their problems. */
export function audienceCard(audience: AudienceDetails, problems: readonly Problem[]): string {
  const members = card({
    id: String(audience.audience_id),
    name: audience.name,
    status: statusText(audience),
    'uploaded devices': audience.uploaded_devices,
    'unique devices': audience.unique_devices,
    'matched devices': audience.matched_devices,
    segment: String(audience.default_warehouse_segment_id),
    created: audience.created_at,
    updated: audience.updated_at,
  });
  const files = audience.file.map((file) => ({
    file: file.s3_path,
    status: statusText(file),
    rows: file.rows_uploaded,
    updated: file.updated_at,
  }));
  return [members, table(files, 'It has no files.'), ...problems.map(problemText)].join('\n\n');
}
