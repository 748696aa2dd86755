import { sql } from 'kysely';
import { TributaryError } from '../../domain/errors.ts';
import { type KeyType, keyType } from '../../domain/job.ts';
import { atomically, type Database, violates } from '../database/connection.ts';

export interface Attribute {
  readonly attributeId: number;
  readonly name: string;
  readonly description: string;
  readonly partnerForeignKey: string | null;
  readonly uniqueDevices: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NewAttribute {
  readonly name: string;
  readonly description: string;
  readonly partnerForeignKey: string | null;
}

/** An attribute and the key that it was asked for by. */
export interface NamedAttribute {
  readonly key: string;
  readonly attributeId: number;
  readonly segmentId: number;
}

export interface SegmentKeys {
  /** The segments of all attributes of the partner, those without a key of that type included. */
  readonly segmentIds: readonly number[];
  /** By key: where its segment stands among them. */
  readonly numbers: ReadonlyMap<string, number>;
}

export type Attributes = ReturnType<typeof createAttributes>;

export function createAttributes(db: Database) {
  /** All of them or, if one's foreign key is taken, none: their ids, in their order. */
  async function createAll(
    partnerId: number,
    attributes: readonly NewAttribute[],
  ): Promise<number[]> {
    return atomically(db, async (tx) => {
      await lockKeys(tx, partnerId);
      const { rows } = await sql<{ attributeId: number; key: string | null }>`
        with made as (
          insert into segment (kind)
          select 'attribute' from generate_series(1, ${attributes.length}::integer)
          returning segment_id
        ), numbered as (
          select segment_id, row_number() over (order by segment_id) as number from made
        )
        insert into attribute (partner_id, segment_id, name, description, partner_foreign_key)
        select ${partnerId}::bigint, segment_id, name, description, key
        from unnest(
          ${attributes.map(({ name }) => name)}::text[],
          ${attributes.map(({ description }) => description)}::text[],
          ${attributes.map(({ partnerForeignKey }) => partnerForeignKey)}::text[]
        ) with ordinality as told (name, description, key, number)
        join numbered using (number)
        order by number
        on conflict on constraint attribute_foreign_key_unique do nothing
        returning attribute_id as "attributeId", partner_foreign_key as key
      `.execute(tx);
      const made = new Set(rows.map(({ key }) => key));
      for (const { partnerForeignKey } of attributes) {
        // One that comes twice was made once.
        if (partnerForeignKey !== null && !made.delete(partnerForeignKey)) {
          throw foreignKeyTaken(partnerForeignKey);
        }
      }
      return rows.map(({ attributeId }) => attributeId);
    });
  }

  /** The partner's attributes that the keys name, in the order of their ids. */
  async function named(
    partnerId: number,
    type: KeyType,
    keys: readonly string[],
  ): Promise<NamedAttribute[]> {
    const key =
      type === keyType.attributeId
        ? sql<string>`attribute_id::text`
        : sql<string>`partner_foreign_key`;
    // No text of the database's can hold a NUL, so such a key names nothing and cannot be asked for.
    const askable = keys.filter((text) => !text.includes('\0'));
    const { rows } = await sql<NamedAttribute>`
      select ${key} as key, attribute_id as "attributeId", segment_id as "segmentId"
      from attribute
      where partner_id = ${partnerId} and ${key} = any(${askable}::text[])
      order by attribute_id
    `.execute(db);
    return rows;
  }

  return {
    async create(partnerId: number, attribute: NewAttribute): Promise<number> {
      const [attributeId] = await createAll(partnerId, [attribute]);
      return attributeId!;
    },

    createAll,

    /** False if the partner has no such attribute. */
    async update(
      partnerId: number,
      attributeId: number,
      change: Partial<NewAttribute>,
    ): Promise<boolean> {
      const { name, description, partnerForeignKey } = change;
      try {
        return await atomically(db, async (tx) => {
          await lockKeys(tx, partnerId);
          const { numUpdatedRows } = await tx
            .updateTable('attribute')
            .set({
              ...(name !== undefined && { name }),
              ...(description !== undefined && { description }),
              ...(partnerForeignKey !== undefined && { partner_foreign_key: partnerForeignKey }),
              updated_at: sql`clock_timestamp()`,
            })
            .where('partner_id', '=', partnerId)
            .where('attribute_id', '=', attributeId)
            .executeTakeFirstOrThrow();
          return numUpdatedRows === 1n;
        });
      } catch (error) {
        if (!violates(error, 'attribute_foreign_key_unique')) throw error;
        throw foreignKeyTaken(partnerForeignKey, error);
      }
    },

    /** Removes attributes that hold no runs any more; call it in the transaction that drops them. */
    async remove(attributes: readonly NamedAttribute[]): Promise<void> {
      const segmentIds = attributes.map(({ segmentId }) => segmentId);
      await sql`delete from attribute where segment_id = any(${segmentIds}::bigint[])`.execute(db);
      await sql`delete from segment where segment_id = any(${segmentIds}::bigint[])`.execute(db);
    },

    async list(partnerId: number): Promise<Attribute[]> {
      const rows = await withCounts(db, partnerId).orderBy('attribute_id').execute();
      return rows.map(attribute);
    },

    async find(partnerId: number, attributeId: number): Promise<Attribute | undefined> {
      const row = await withCounts(db, partnerId)
        .where('attribute_id', '=', attributeId)
        .executeTakeFirst();
      return row && attribute(row);
    },

    /** What the keys of a partner's file name, as the attributes are now. */
    async segmentKeys(partnerId: number, type: KeyType): Promise<SegmentKeys> {
      const rows = await db
        .selectFrom('attribute')
        .select(['segment_id', 'attribute_id', 'partner_foreign_key'])
        .where('partner_id', '=', partnerId)
        .orderBy('attribute_id')
        .execute();
      const numbers = new Map<string, number>();
      for (const [number, row] of rows.entries()) {
        const key =
          type === keyType.attributeId ? String(row.attribute_id) : row.partner_foreign_key;
        if (key !== null) numbers.set(key, number);
      }
      return { segmentIds: rows.map(({ segment_id }) => segment_id), numbers };
    },

    named,

    /** Those of the keys that name no attribute of the partner, in their order. */
    async unknownKeys(
      partnerId: number,
      type: KeyType,
      keys: readonly string[],
    ): Promise<string[]> {
      const known = new Set((await named(partnerId, type, keys)).map(({ key }) => key));
      return keys.filter((key) => !known.has(key));
    },
  };
}

/**
 * The partner's keys change one request at a time: two that each want what the other holds would
 * otherwise wait for one another, and one of them be broken off.
 */
async function lockKeys(tx: Database, partnerId: number): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(current_schema || ' attributes', ${partnerId}))
  `.execute(tx);
}

function foreignKeyTaken(key: string | null | undefined, cause?: unknown): TributaryError {
  return new TributaryError(
    'foreign_key_taken',
    `Another attribute has the partner_foreign_key ${JSON.stringify(key)}: choose one that none of your attributes has.`,
    { cause },
  );
}

function withCounts(db: Database, partnerId: number) {
  return db
    .selectFrom('attribute')
    .selectAll()
    .select(
      sql<number>`(select coalesce(sum(devices), 0)::bigint from run
        where run.segment_id = attribute.segment_id)`.as('unique_devices'),
    )
    .where('partner_id', '=', partnerId);
}

type AttributeRow = Awaited<ReturnType<ReturnType<typeof withCounts>['executeTakeFirstOrThrow']>>;

function attribute(row: AttributeRow): Attribute {
  return {
    attributeId: row.attribute_id,
    name: row.name,
    description: row.description,
    partnerForeignKey: row.partner_foreign_key,
    uniqueDevices: row.unique_devices,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
