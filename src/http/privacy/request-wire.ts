import { type Static, Type } from 'typebox';
import { privacyKinds, privacyStates } from '../../domain/privacy/privacy-request.ts';
import type {
  ListedFinding,
  PrivacyRequest,
  StoredIdentifier,
} from '../../records/privacy/privacy-requests.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';

export const Kind = Type.Enum([...privacyKinds], {
  description:
    '`delete` removes the devices from everything stored and keeps them out. `opt_out` does the same, because everything stored is shared with customers. `access` tells what holds them.',
  examples: ['delete'],
});

export const State = Type.Enum([...privacyStates], {
  description:
    '`received`; `suppressed`: no load stores the devices any more; `removed`: they are gone from every answer; `done`: their bytes are gone from disk, or the access request is answered.',
  examples: ['suppressed'],
});

const Step = (description: string) => Nullable(Timestamp, { description });

const Count = (description: string) => Type.Integer({ description, examples: [1] });

export const RequestSchema = Type.Object({
  request_id: Id('The request.'),
  kind: Kind,
  reference: Type.String({ description: 'As sent.', examples: ['case 2026-117'] }),
  state: State,
  identifiers: Count('Distinct identifiers in the request.'),
  counts: Nullable(
    Type.Object({
      found: Count('Identifiers whose devices were stored.'),
      attributes: Count('Attributes that held any of them.'),
      audiences: Count('Audiences that held any of them.'),
      partners: Count('Partners whose attributes or audiences these are.'),
      memberships: Count('Pairs of a device and an attribute or audience.'),
      is_complete: Type.Boolean({
        description: 'False if damaged files could not be read. Then there may be more.',
      }),
    }),
    { description: 'What was stored when the request was carried out. Null until then.' },
  ),
  received_at: Timestamp,
  suppressed_at: Step('Since then, no load stores the devices. Null for an access request.'),
  removed_at: Step('Since then, the devices are in no answer, report or download.'),
  done_at: Step(
    'Since then, their bytes are not on disk, and the request keeps digests instead of identifiers.',
  ),
  raw_files_until: Nullable(Timestamp, {
    description:
      'Until then, files that were uploaded and last loaded before `suppressed_at` may hold the devices. Null for an access request, before the devices are suppressed, and if a partner keeps its files for good.',
    examples: [null],
  }),
  raw_files_kept_for_good: Count(
    'Partners whose uploaded files are kept for good. See `TRIBUTARY_UPLOAD_RETENTION_DAYS`.',
  ),
});

export type RequestWire = Static<typeof RequestSchema>;

/** For how long uploads are kept. */
interface RawFiles {
  /** The most days of any partner. */
  readonly days: number;
  readonly keptForGood: number;
}

/** Expired uploads are deleted within this time. */
const deletionMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

export function requestOnTheWire(request: PrivacyRequest, rawFiles: RawFiles): RequestWire {
  const { counts, suppressedAt } = request;
  const until =
    suppressedAt && rawFiles.keptForGood === 0
      ? new Date(suppressedAt.getTime() + rawFiles.days * dayMs + deletionMs)
      : null;
  return {
    request_id: request.requestId,
    kind: request.kind,
    reference: request.reference,
    state: request.state,
    identifiers: request.identifiers,
    counts: counts && {
      found: counts.found,
      attributes: counts.attributes,
      audiences: counts.audiences,
      partners: counts.partners,
      memberships: counts.memberships,
      is_complete: counts.isComplete,
    },
    received_at: request.receivedAt.toISOString(),
    suppressed_at: request.suppressedAt?.toISOString() ?? null,
    removed_at: request.removedAt?.toISOString() ?? null,
    done_at: request.doneAt?.toISOString() ?? null,
    raw_files_until: until?.toISOString() ?? null,
    raw_files_kept_for_good: request.kind === 'access' ? 0 : rawFiles.keptForGood,
  };
}

const Position = Type.Integer({
  description: 'The place of the identifier in the request, from 1. Repeated ones do not count.',
  examples: [1],
});

const Digest = Type.String({
  description: 'SHA-256 of the 32 lower-case digits of the identifier, in Base64.',
  examples: ['250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI='],
});

export const IdentifierSchema = Type.Object({
  position: Position,
  digest: Digest,
  found: Nullable(Type.Boolean(), {
    description: 'Whether its device was stored. Null until the request is carried out.',
  }),
});

export function identifierOnTheWire({ position, digest, isFound }: StoredIdentifier) {
  return { position, digest: digest.toString('base64'), found: isFound };
}

export const FindingSchema = Type.Object({
  finding_id: Id('The finding.'),
  position: Position,
  digest: Digest,
  attribute_id: Nullable(Type.Integer(), { description: 'The attribute that holds the device.' }),
  audience_id: Nullable(Type.Integer(), { description: 'The audience that holds the device.' }),
  name: Type.String({ description: 'Its name at that time.', examples: ['Interests > Tea'] }),
  partner_id: Id('The partner who owns it.'),
  partner_name: Nullable(Type.String(), { examples: ['acme'] }),
  held_since: Nullable(Timestamp, {
    description: 'When the device was loaded into it. Null if that is unknown.',
  }),
  is_exact: Type.Boolean({
    description: 'False if the device was there at `held_since`, and may have come earlier.',
  }),
});

export function findingOnTheWire(finding: ListedFinding): Static<typeof FindingSchema> {
  return {
    finding_id: finding.findingId,
    position: finding.position,
    digest: finding.digest.toString('base64'),
    attribute_id: finding.attributeId,
    audience_id: finding.audienceId,
    name: finding.name,
    partner_id: finding.partnerId,
    partner_name: finding.partnerName,
    held_since: finding.heldSince?.toISOString() ?? null,
    is_exact: finding.isExact,
  };
}
