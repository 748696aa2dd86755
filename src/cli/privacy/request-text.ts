import type { paths } from '../../client/openapi.ts';
import { card, count, type Row, table, time } from '../output/print.ts';

export type PrivacyRequest =
  paths['/admin/v1/privacy/requests/{request_id}']['get']['responses'][200]['content']['application/json'];

type Finding =
  paths['/admin/v1/privacy/requests/{request_id}/findings']['get']['responses'][200]['content']['application/json'][number];

const kinds = { delete: 'erase', opt_out: 'opt-out', access: 'access' } as const;

export function requestRow(request: PrivacyRequest): Row {
  return {
    id: String(request.request_id),
    kind: kinds[request.kind],
    state: request.state,
    reference: request.reference,
    identifiers: request.identifiers,
    found: request.counts ? count(request.counts.found) : null,
    received: time(request.received_at),
    done: time(request.done_at),
  };
}

export function requestCard(request: PrivacyRequest): string {
  const { counts, kind } = request;
  return card({
    request: String(request.request_id),
    kind: kinds[kind],
    reference: request.reference,
    state: request.state,
    identifiers: request.identifiers,
    ...(counts && {
      found: foundText(counts),
      in: `${counted(counts.attributes, 'attribute')} and ${counted(counts.audiences, 'audience')} of ${counted(counts.partners, 'partner')}`,
    }),
    received: time(request.received_at),
    ...(kind === 'access'
      ? { answered: time(request.done_at) }
      : {
          suppressed: time(request.suppressed_at),
          removed: time(request.removed_at),
          'bytes gone': time(request.done_at),
          'raw files': rawFilesText(request),
        }),
  });
}

function counted(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? '' : 's'}`;
}

function foundText({ found, is_complete }: NonNullable<PrivacyRequest['counts']>): string {
  return is_complete ? count(found) : `${count(found)}, but damaged files could not be read`;
}

function rawFilesText(request: PrivacyRequest): string {
  const { raw_files_until: until, raw_files_kept_for_good: keptForGood } = request;
  if (keptForGood > 0) {
    return `may hold the devices: the uploads of ${counted(keptForGood, 'partner')} are kept for good`;
  }
  return until === null ? '-' : `may hold the devices until ${time(until)}`;
}

/** The answer to an access request. */
export function findingsText(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => ({
    identifier: String(finding.position),
    'held by': finding.attribute_id === null ? 'audience' : 'attribute',
    id: String(finding.attribute_id ?? finding.audience_id),
    name: finding.name,
    partner: finding.partner_name ?? String(finding.partner_id),
    since: sinceText(finding),
  }));
  return table(rows, 'No attribute or audience holds these devices.');
}

function sinceText({ held_since, is_exact }: Finding): string {
  if (held_since === null) return 'unknown';
  return is_exact ? time(held_since) : `${time(held_since)} or earlier`;
}
