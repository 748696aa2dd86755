import { sql } from 'kysely';
import { atomically, type Database } from './database.ts';

/** Where an object's bytes lie: the name of an immutable blob. */
export interface ObjectEntry {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly blob: string;
}

/** Which objects the embedded store holds. */
export interface ObjectIndex {
  find(key: string): Promise<ObjectEntry | undefined>;
  /** The first entries, in byte order, whose key is `from` or comes after it. */
  page(from: string, limit: number): Promise<ObjectEntry[]>;
  /** Puts the entry in the place of the one with its key, and returns that one. */
  replace(entry: ObjectEntry): Promise<ObjectEntry | undefined>;
  totals(): Promise<{ objects: number; bytes: number }>;
}

export function createObjectIndex(db: Database): ObjectIndex {
  const entries = db.selectFrom('object').select(['key', 'etag', 'size', 'blob']);
  return {
    find: (key) => entries.where('key', '=', key).executeTakeFirst(),

    page: (from, limit) => entries.where('key', '>=', from).orderBy('key').limit(limit).execute(),

    replace: (entry) =>
      atomically(db, async (tx) => {
        // Concurrent uploads of a key take turns, the first of all too, when there is no row to
        // lock yet, so that each blob that loses its place is returned to exactly one of them.
        await sql`select pg_advisory_xact_lock(hashtextextended(${entry.key}, 0))`.execute(tx);
        const replaced = await tx
          .selectFrom('object')
          .select(['key', 'etag', 'size', 'blob'])
          .where('key', '=', entry.key)
          .executeTakeFirst();
        await tx
          .insertInto('object')
          .values(entry)
          .onConflict((conflict) =>
            conflict.column('key').doUpdateSet((eb) => ({
              etag: eb.ref('excluded.etag'),
              size: eb.ref('excluded.size'),
              blob: eb.ref('excluded.blob'),
              created_at: eb.ref('excluded.created_at'),
            })),
          )
          .execute();
        return replaced;
      }),

    async totals() {
      const row = await db
        .selectFrom('object')
        .select((eb) => [
          eb.fn.countAll<number>().as('objects'),
          eb.fn.coalesce(eb.fn.sum<number>('size'), eb.lit(0)).as('bytes'),
        ])
        .executeTakeFirstOrThrow();
      return { objects: row.objects, bytes: Number(row.bytes) };
    },
  };
}
