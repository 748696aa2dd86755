import type { paths } from '../../client/openapi.ts';
import { problemText, statusText } from './outcome-text.ts';
import { card, count, time } from './print.ts';

export type ImportLog =
  paths['/v1/marketplace/import/{import_log_id}']['get']['responses'][200]['content']['application/json'];

const kinds = ['import', 'deletion', 'dry run', 'erasure'];

export function logCard(log: ImportLog): string {
  const members = card({
    id: String(log.import_log_id),
    kind: kinds[log.log_type],
    status: statusText(log),
    path: subjectOf(log),
    rows: Number(log.total_rows),
    devices: Number(log.unique_devices),
    created: time(log.created_at),
    updated: time(log.updated_at),
  });
  const problems = (log.errors ?? []).map(problemText);
  return [members, ...problems].join('\n\n');
}

function subjectOf({ file_path, keys }: ImportLog): string {
  if (keys === null) return file_path;
  const [first = ''] = keys;
  return keys.length === 1 ? first : `${first} and ${count(keys.length - 1)} more`;
}
