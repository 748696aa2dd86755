import { sql } from 'kysely';
import type { Database } from './connection.ts';
import type { PlaceContent, PlaceKind } from './schema.ts';

/** A place where data is stored outside the database. */
export interface Place {
  readonly kind: PlaceKind;
  /** An id stored in the place itself, which identifies it after a move; null if it has none yet. */
  readonly mark: string | null;
  /** Where it was when it was first used; for error messages. */
  readonly address: string;
}

export type Places = ReturnType<typeof createPlaces>;

/** Each kind of content has one place: the one registered first, permanently. */
export function createPlaces(db: Database) {
  async function find(content: PlaceContent): Promise<Place | undefined> {
    return await db
      .selectFrom('place')
      .select(['kind', 'mark', 'address'])
      .where('content', '=', content)
      .executeTakeFirst();
  }

  return {
    find,

    /** Returns the content's place: this one, or the one registered before. */
    async register(content: PlaceContent, { kind, mark, address }: Place): Promise<Place> {
      await sql`
        insert into place (content, kind, mark, address)
        values (${content}, ${kind}, ${mark}, ${address})
        on conflict (content) do update set mark = excluded.mark, address = excluded.address
        where place.mark is null and place.kind = excluded.kind
      `.execute(db);
      return (await find(content))!;
    },
  };
}
