import { sql } from 'kysely';
import type { Database } from './connection.ts';
import type { PlaceContent, PlaceKind } from './schema.ts';

/** Where something lies that is not in the database. */
export interface Place {
  readonly kind: PlaceKind;
  /** By which the place is known wherever it is moved; null if it has none yet. */
  readonly mark: string | null;
  /** Where it was when it was first used, for people. */
  readonly address: string;
}

export type Places = ReturnType<typeof createPlaces>;

/** The service has one place for each content, for ever that which was claimed first. */
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

    /** The place that the content has from now on: this one, or that of whoever came before. */
    async claim(content: PlaceContent, { kind, mark, address }: Place): Promise<Place> {
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
