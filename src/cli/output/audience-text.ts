import type { paths } from '../../client/openapi.ts';
import { type Problem, problemText, statusText } from './outcome-text.ts';
import { card, count, table, time } from './print.ts';

type Audience =
  paths['/v2/firstparty/audience']['get']['responses'][200]['content']['application/json'][number];

export type AudienceDetails =
  paths['/v2/firstparty/audience/{audience_id}']['get']['responses'][200]['content']['application/json'];

export type ConsoleAudience =
  paths['/v1/console/audiences']['get']['responses'][200]['content']['application/json'][number];

type AudienceChange =
  paths['/v2/firstparty/audience/{audience_id}/history']['get']['responses'][200]['content']['application/json'][number];

export function audienceTable(
  audiences: readonly Audience[],
  clearedAt: ReadonlyMap<number, string>,
): string {
  const rows = audiences.map((each) => ({
    id: String(each.audience_id),
    name: each.name,
    status: stateText(each, clearedAt.get(each.audience_id)),
    uploaded: each.uploaded_devices,
    unique: each.unique_devices,
    matched: each.matched_devices,
    updated: time(each.updated_at),
  }));
  return table(rows, 'There are no audiences yet.');
}

export function audienceHistoryTable(changes: readonly AudienceChange[]): string {
  const rows = changes.map((each) => ({
    changed: time(each.changed_at),
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
export function audienceCard(
  audience: AudienceDetails,
  problems: readonly Problem[],
  clearedAt: string | null,
): string {
  const members = card({
    id: String(audience.audience_id),
    name: audience.name,
    status: stateText(audience, clearedAt),
    'uploaded devices': audience.uploaded_devices,
    'unique devices': audience.unique_devices,
    'matched devices': audience.matched_devices,
    segment: String(audience.default_warehouse_segment_id),
    created: time(audience.created_at),
    updated: time(audience.updated_at),
  });
  const files = audience.file.map((file) => ({
    file: file.s3_path,
    status: statusText(file),
    rows: file.rows_uploaded,
    updated: time(file.updated_at),
  }));
  return [members, table(files, 'It has no files.'), ...problems.map(problemText)].join('\n\n');
}

/** An audience that was cleared and not loaded again is empty, and not "done". */
function stateText(audience: Audience, clearedAt: string | null | undefined): string | undefined {
  return clearedAt ? `cleared ${time(clearedAt)}` : statusText(audience);
}
