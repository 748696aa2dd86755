import { sql } from 'kysely';
import { accessDisabled } from '../../domain/access-disabled.ts';
import { quotaExceeded } from '../../domain/storage-quota.ts';
import type { Database } from '../database/connection.ts';

/** What a partner keeps in the shared bucket. Bytes are counted in the embedded store only. */
export interface StorageUse {
  readonly bytes: number;
  /** How many bytes it may keep; null for any number. */
  readonly quota: number | null;
  /** Multipart uploads that are neither completed nor aborted. */
  readonly openUploads: number;
  /** For how many days its uploads are kept: 0 for good, null as the service does by default. */
  readonly retentionDays: number | null;
}

/** So many rows count a partner's bytes. Connections use different ones, mostly. */
const stripes = 16;

export type StorageUses = ReturnType<typeof createStorageUses>;

export function createStorageUses(db: Database) {
  return {
    async of(partnerId: number): Promise<StorageUse> {
      const { rows } = await sql<StorageUse>`
        select storage_quota as quota, ${bytesOf(partnerId)} as bytes,
          upload_retention_days as "retentionDays",
          (select count(*) from upload where ${isUnder(partnerId)}) as "openUploads"
        from partner where partner_id = ${partnerId}
      `.execute(db);
      return rows[0] ?? { bytes: 0, quota: null, openUploads: 0, retentionDays: null };
    },

    /** The partners with the most bytes. */
    async largest(
      limit: number,
    ): Promise<{ partnerId: number; name: string; bytes: number; quota: number | null }[]> {
      const { rows } = await sql<{
        partnerId: number;
        name: string;
        bytes: number;
        quota: number | null;
      }>`
        select partner.partner_id as "partnerId", name, used.bytes, storage_quota as quota
        from (
          select partner_id, sum(bytes)::bigint as bytes from storage_use group by partner_id
        ) as used join partner using (partner_id)
        where used.bytes > 0
        order by used.bytes desc, partner_id limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

/** The quota and the bytes of the partner to whom the key belongs; undefined if it has no quota. */
export async function findQuota(
  db: Database,
  key: string,
): Promise<{ partnerId: number; quota: number; bytes: number } | undefined> {
  const partnerId = partnerOf(key);
  if (partnerId === undefined) return undefined;
  const { rows } = await sql<{ quota: number; bytes: number }>`
    select storage_quota as quota, ${bytesOf(partnerId)} as bytes
    from partner where partner_id = ${partnerId} and storage_quota is not null
  `.execute(db);
  return rows[0] && { partnerId, ...rows[0] };
}

/**
 * Counts bytes that a transaction adds to the objects and uploads under these keys, or removes. Throws
 * quota_exceeded if a partner then has more than its quota, and `forbidden` if bytes are added for a
 * partner that is disabled. Call it last: of a partner with a quota, one
 * transaction at a time goes on from here to its commit, so that no two use the same room.
 */
export async function countBytes(
  tx: Database,
  changes: Iterable<readonly [key: string, bytes: number]>,
): Promise<void> {
  const byPartner = new Map<number, number>();
  for (const [key, bytes] of changes) {
    const partnerId = partnerOf(key);
    if (partnerId !== undefined) byPartner.set(partnerId, (byPartner.get(partnerId) ?? 0) + bytes);
  }
  // In order, so that two transactions cannot deadlock.
  for (const [partnerId, bytes] of [...byPartner].sort(([a], [b]) => a - b)) {
    if (bytes !== 0) await countOf(tx, partnerId, bytes);
  }
}

async function countOf(tx: Database, partnerId: number, bytes: number): Promise<void> {
  const { rows } = await sql<{ quota: number | null; isDisabled: boolean }>`
    with counted as (
      insert into storage_use (partner_id, stripe, bytes)
      values (${partnerId}, pg_backend_pid() % ${sql.lit(stripes)}, ${bytes})
      on conflict (partner_id, stripe) do update set bytes = storage_use.bytes + excluded.bytes
    )
    select storage_quota as quota, disabled_at is not null as "isDisabled"
    from partner where partner_id = ${partnerId}
  `.execute(tx);
  if (bytes < 0) return;
  // The upload began before access was disabled.
  if (rows[0]?.isDisabled) throw accessDisabled();
  const quota = rows[0]?.quota ?? null;
  if (quota === null) return;
  await sql`select pg_advisory_xact_lock(hashtextextended('storage quota', ${partnerId}))`.execute(
    tx,
  );
  // A new statement, which sees every count committed before we got the lock.
  const { rows: used } = await sql<{ bytes: number }>`
    select ${bytesOf(partnerId)} as bytes
  `.execute(tx);
  if (used[0]!.bytes > quota) throw quotaExceeded(quota, used[0]!.bytes - bytes, bytes);
}

/** The partner whose prefix the key begins with. */
export function partnerOf(key: string): number | undefined {
  const digits = /^partner-(\d{1,15})\//.exec(key)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function bytesOf(partnerId: number) {
  return sql<number>`coalesce(
    (select sum(bytes) from storage_use where partner_id = ${partnerId}), 0)::bigint`;
}

/** Keys under the partner's prefix: `0` follows `/`. */
export function isUnder(partnerId: number) {
  return sql<boolean>`key >= ${`partner-${partnerId}/`} and key < ${`partner-${partnerId}0`}`;
}
