import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../domain/page.ts';
import type { PrivacyKind, PrivacyState } from '../../domain/privacy/privacy-request.ts';
import { atomically, type Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import type { Sealing } from '../database/sealing.ts';

/** An identifier of a request. `device` is its 32 digits, null if only the digest is known. */
export interface RequestedIdentifier {
  readonly device: string | null;
  /** The SHA-256 of the digits. */
  readonly digest: Buffer;
}

interface NewPrivacyRequest {
  readonly kind: PrivacyKind;
  /** The operator's own name for it. */
  readonly reference: string;
  readonly identifiers: readonly RequestedIdentifier[];
}

/** What was stored about the devices of a request when it was carried out. */
export interface FoundCounts {
  /** Identifiers whose devices were stored. */
  readonly found: number;
  readonly attributes: number;
  readonly audiences: number;
  readonly partners: number;
  /** Pairs of a device and an attribute or audience. */
  readonly memberships: number;
  /** False if damaged files could not be read. */
  readonly isComplete: boolean;
}

export interface PrivacyRequest {
  readonly requestId: number;
  readonly kind: PrivacyKind;
  readonly reference: string;
  readonly state: PrivacyState;
  readonly identifiers: number;
  /** Null until they are counted. */
  readonly counts: FoundCounts | null;
  readonly receivedAt: Date;
  readonly suppressedAt: Date | null;
  readonly removedAt: Date | null;
  readonly doneAt: Date | null;
}

/** A request that was not carried out yet. */
export interface ReceivedRequest {
  readonly requestId: number;
  readonly kind: PrivacyKind;
  readonly identifiers: number;
  /** What is stored about its devices was counted, before an attempt to suppress them. */
  readonly isCounted: boolean;
}

export interface StoredIdentifier extends RequestedIdentifier {
  /** Its place in the request, from 1. */
  readonly position: number;
  readonly isFound: boolean | null;
}

/** An attribute or an audience that held a device of an access request. */
export interface Finding {
  readonly position: number;
  readonly attributeId: number | null;
  readonly audienceId: number | null;
  readonly name: string;
  readonly partnerId: number;
  /** Null if nothing is known about it. */
  readonly heldSince: Date | null;
  /** False: it held the device at least since then. */
  readonly isExact: boolean;
}

export interface ListedFinding extends Finding {
  readonly findingId: number;
  readonly digest: Buffer;
  readonly partnerName: string | null;
}

interface RequestFilter {
  readonly kind?: PrivacyKind | undefined;
  readonly state?: PrivacyState | undefined;
  readonly reference?: string | undefined;
}

export type PrivacyRequests = ReturnType<typeof createPrivacyRequests>;

/** Requests about devices, from receipt until their bytes are gone. */
export function createPrivacyRequests(db: Database, sealing: Sealing) {
  return {
    create: ({ kind, reference, identifiers }: NewPrivacyRequest): Promise<number> =>
      atomically(db, async (tx) => {
        const { request_id: requestId } = await tx
          .insertInto('privacy_request')
          .values({ kind, reference, identifiers: identifiers.length })
          .returning('request_id')
          .executeTakeFirstOrThrow();
        const devices = JSON.stringify(identifiers.map(({ device }) => device));
        await tx
          .updateTable('privacy_request')
          .set({ sealed_devices: sealing.seal(devices, devicesContext(requestId)) })
          .where('request_id', '=', requestId)
          .execute();
        await sql`
          insert into privacy_identifier (request_id, position, digest)
          select ${requestId}::bigint, position, digest
          from unnest(${identifiers.map(({ digest }) => digest)}::bytea[])
            with ordinality as given (digest, position)
        `.execute(tx);
        return requestId;
      }),

    async find(requestId: number): Promise<PrivacyRequest | undefined> {
      const { rows } = await sql<RequestRow>`
        select * from privacy_request where request_id = ${requestId}
      `.execute(db);
      return rows[0] && toRequest(rows[0]);
    },

    /** Newest first. */
    async list(filter: RequestFilter, { after, limit }: Page): Promise<PrivacyRequest[]> {
      const conditions = [
        sql`request_id < ${after ?? Number.MAX_SAFE_INTEGER}`,
        ...(['kind', 'state', 'reference'] as const)
          .filter((name) => filter[name] !== undefined)
          .map((name) => sql`${sql.ref(name)} = ${filter[name]}`),
      ];
      const { rows } = await sql<RequestRow>`
        select * from privacy_request where ${sql.join(conditions, sql` and `)}
        order by request_id desc limit ${limit}
      `.execute(db);
      return rows.map(toRequest);
    },

    /** The oldest first. */
    async received(limit: number): Promise<ReceivedRequest[]> {
      const { rows } = await sql<ReceivedRequest>`
        select request_id as "requestId", kind, identifiers, found is not null as "isCounted"
        from privacy_request
        where state <> 'done' and state = 'received' order by request_id limit ${limit}
      `.execute(db);
      return rows;
    },

    /** How many are open, and how many seconds ago the oldest of them was received. */
    async backlog(): Promise<{ requests: number; oldestSeconds: number }> {
      const { rows } = await sql<{ requests: number; oldestSeconds: number }>`
        select count(*) as requests, greatest(0, coalesce(
          extract(epoch from clock_timestamp() - min(received_at)), 0
        ))::float8 as "oldestSeconds"
        from privacy_request where state <> 'done'
      `.execute(db);
      return rows[0]!;
    },

    /** The identifiers after that position. The devices of a request that is done are unknown. */
    async identifiers(
      requestId: number,
      { after, limit }: Page = { after: null, limit: Number.MAX_SAFE_INTEGER },
    ): Promise<StoredIdentifier[]> {
      const { rows: sealed } = await sql<{ sealed: Buffer | null }>`
        select sealed_devices as sealed from privacy_request where request_id = ${requestId}
      `.execute(db);
      const devices: (string | null)[] = sealed[0]?.sealed
        ? JSON.parse(sealing.open(sealed[0].sealed, devicesContext(requestId)))
        : [];
      const { rows } = await sql<Omit<StoredIdentifier, 'device'>>`
        select position, digest, is_found as "isFound" from privacy_identifier
        where request_id = ${requestId} and position > ${after ?? 0}
        order by position limit ${limit}
      `.execute(db);
      return rows.map((row) => ({ ...row, device: devices[row.position - 1] ?? null }));
    },

    /** Which of the digests, of 16 bytes each, a request asked to suppress. */
    async suppressing(digests: readonly Buffer[]): Promise<Buffer[]> {
      const start = sql`substring(digest from 1 for 16)`;
      const { rows } = await sql<{ digest: Buffer }>`
        select distinct ${start} as digest
        from privacy_identifier join privacy_request using (request_id)
        where ${start} = any(${[...digests]}::bytea[]) and kind <> 'access'
      `.execute(db);
      return rows.map(({ digest }) => digest);
    },

    /** Deletes the findings of an attempt that did not end. */
    async clearFindings(requestId: number): Promise<void> {
      await deleteInBatches(db, 'privacy_finding', sql`request_id = ${requestId}`);
    },

    async addFindings(requestId: number, findings: readonly Finding[]): Promise<void> {
      const column = <T>(of: (finding: Finding) => T) => findings.map(of);
      await sql`
        insert into privacy_finding
          (request_id, position, attribute_id, audience_id, name, partner_id, held_since, is_exact)
        select ${requestId}::bigint, *
        from unnest(
          ${column(({ position }) => position)}::integer[],
          ${column(({ attributeId }) => attributeId)}::bigint[],
          ${column(({ audienceId }) => audienceId)}::bigint[],
          ${column(({ name }) => name)}::text[], ${column(({ partnerId }) => partnerId)}::bigint[],
          ${column(({ heldSince }) => heldSince)}::timestamptz[],
          ${column(({ isExact }) => isExact)}::boolean[]
        )
      `.execute(db);
    },

    async findings(requestId: number, { after, limit }: Page): Promise<ListedFinding[]> {
      const { rows } = await sql<ListedFinding>`
        select finding_id as "findingId", position, digest, attribute_id as "attributeId",
          audience_id as "audienceId", finding.name, partner_id as "partnerId",
          partner.name as "partnerName", held_since as "heldSince", is_exact as "isExact"
        from privacy_finding as finding
        join privacy_request using (request_id)
        join privacy_identifier using (request_id, position)
        left join partner using (partner_id)
        where request_id = ${requestId} and state = 'done' and finding_id > ${after ?? 0}
        order by finding_id limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Deletes answers to access requests that were done more than `days` ago. Returns how many rows. */
    pruneFindings: (days: number): Promise<number> =>
      deleteInBatches(
        db,
        'privacy_finding',
        sql`request_id in (
          select request_id from privacy_request
          where kind = 'access' and done_at < now() - ${days} * interval '1 day'
        )`,
      ),

    /** Records what was found, and that these positions were. */
    async setFound(
      requestId: number,
      positions: Iterable<number>,
      counts: Omit<FoundCounts, 'found'>,
    ): Promise<void> {
      const found = [...positions];
      const { attributes, audiences, partners, memberships, isComplete } = counts;
      await atomically(db, async (tx) => {
        await sql`
          update privacy_identifier set is_found = (position = any(${found}::integer[]))
          where request_id = ${requestId}
        `.execute(tx);
        await sql`
          update privacy_request
          set found = ${found.length}, attributes = ${attributes}, audiences = ${audiences},
            partners = ${partners}, memberships = ${memberships}, is_complete = ${isComplete}
          where request_id = ${requestId}
        `.execute(tx);
      });
    },

    /** Its devices are in these versions of the suppressed sets. `digests` is null if it has none. */
    async setSuppressed(
      requestId: number,
      { plain, digests }: { readonly plain: number; readonly digests: number | null },
    ): Promise<void> {
      await move(
        sql`state = 'suppressed', suppressed_at = clock_timestamp(), plain_version = ${plain},
          digest_version = ${digests}`,
        sql`request_id = ${requestId} and state = 'received'`,
      );
    },

    /**
     * Records which requests are removed. A device that was found by its digest joined the known ones in
     * the transaction that counts its digest as resolved, so its request waits for that version.
     */
    async setRemoved(state: {
      readonly plainVersion: number;
      readonly appliedVersion: number;
      readonly resolvedVersion: number;
    }): Promise<number> {
      const { plainVersion, appliedVersion, resolvedVersion } = state;
      await move(
        sql`digest_version = null, plain_version = greatest(plain_version, ${plainVersion})`,
        sql`state = 'suppressed' and digest_version <= ${resolvedVersion}`,
      );
      return move(
        sql`state = 'removed', removed_at = clock_timestamp()`,
        sql`state = 'suppressed' and digest_version is null and plain_version <= ${appliedVersion}`,
      );
    },

    /** Whether there are removed requests of which no file can hold a device any more. */
    async hasGone(): Promise<boolean> {
      const { rows } = await sql`select from privacy_request where ${isGone} limit 1`.execute(db);
      return rows.length > 0;
    },

    /** Whether no file can hold a device that was removed by that time. */
    async areGone(removedAt: Date): Promise<boolean> {
      // A time of the database is cut to milliseconds here.
      const time = sql`${removedAt}::timestamptz + interval '1 millisecond'`;
      const { rows } = await sql<{ areGone: boolean }>`
        select ${areGoneSince(time)} as "areGone"
      `.execute(db);
      return rows[0]!.areGone;
    },

    /** Ends these requests, and forgets their devices. */
    finishGone: () => finish(isGone),

    /** Ends an access request, and forgets its devices. */
    finishAccess: (requestId: number) =>
      finish(sql`request_id = ${requestId} and kind = 'access' and state = 'received'`),
  };

  function finish(condition: RawBuilder<unknown>): Promise<number> {
    return move(sql`state = 'done', done_at = clock_timestamp(), sealed_devices = null`, condition);
  }

  async function move(change: RawBuilder<unknown>, condition: RawBuilder<unknown>) {
    const { numAffectedRows = 0n } = await sql`
      update privacy_request set ${change} where ${condition}
    `.execute(db);
    return Number(numAffectedRows);
  }
}

/**
 * No file can hold a device that was removed by that time: not one that had a run dropped before, not
 * one that was written before and is not committed, and not one in a place that was left. Nor can rows that
 * were read before for another worker.
 */
function areGoneSince(removedAt: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(not exists (
    select from run_file
    where dropped_at <= ${removedAt}
      -- A copy may have runs that were dropped before it began, and waited for a fold.
      or dropped_at <= (
        select requested_at from warehouse_copy where warehouse_copy.copy_id = run_file.copy_id
      )
      or dropped_at is null and (job_id is null or created_at <= ${removedAt})
        and not exists (select from run where run.file = run_file.file)
  ) and not exists (select from job_part where created_at <= ${removedAt})
    and not exists (select from removed_file where content = 'device sets')
    and not exists (select from warehouse_copy where state in ('done', 'forgetting')))`;
}

/** The request is removed, and no file can hold a device of it. */
const isGone = sql`state = 'removed' and ${areGoneSince(sql`removed_at`)}`;

/** What the devices of a request are bound to when they are encrypted. */
export function devicesContext(requestId: number): string {
  return `devices of privacy request ${requestId}`;
}

interface RequestRow {
  readonly request_id: number;
  readonly kind: PrivacyKind;
  readonly reference: string;
  readonly state: PrivacyState;
  readonly identifiers: number;
  readonly found: number | null;
  readonly attributes: number;
  readonly audiences: number;
  readonly partners: number;
  readonly memberships: number;
  readonly is_complete: boolean;
  readonly received_at: Date;
  readonly suppressed_at: Date | null;
  readonly removed_at: Date | null;
  readonly done_at: Date | null;
}

function toRequest(row: RequestRow): PrivacyRequest {
  const { found, attributes, audiences, partners, memberships, is_complete: isComplete } = row;
  return {
    requestId: row.request_id,
    kind: row.kind,
    reference: row.reference,
    state: row.state,
    identifiers: row.identifiers,
    counts:
      found === null ? null : { found, attributes, audiences, partners, memberships, isComplete },
    receivedAt: row.received_at,
    suppressedAt: row.suppressed_at,
    removedAt: row.removed_at,
    doneAt: row.done_at,
  };
}
