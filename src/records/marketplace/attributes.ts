import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { displayName } from '../../domain/display-name.ts';
import { TributaryError } from '../../domain/errors.ts';
import { type KeyType, keyType } from '../../domain/job.ts';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import { atomically, type Database, violates } from '../database/connection.ts';
import { hasText } from '../database/has-text.ts';
import { readAsJson } from '../database/json-rows.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';

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

/** An attribute and the key that it was found by. */
export interface KeyedAttribute {
  readonly key: string;
  readonly attributeId: number;
  readonly segmentId: number;
}

export interface SegmentKeys {
  /** The segments of all attributes of the partner, including those without a key of that type. */
  readonly segmentIds: readonly number[];
  /** The index of a key's segment in `segmentIds`. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** More than a partner usually creates at once. */
const manyAttributes = 1_000;
const textsPerTurn = 1_000;

export type Attributes = ReturnType<typeof createAttributes>;

export function createAttributes(db: Database) {
  /** Creates all attributes and returns their ids in order, or none if a foreign key is taken. */
  async function createAll(
    partnerId: number,
    attributes: readonly NewAttribute[],
    most: number = limits.attributesPerPartner.most,
  ): Promise<number[]> {
    return atomically(db, async (tx) => {
      await lockKeys(tx, partnerId);
      await refuseBeyondLimit(tx, {
        records: 'attributes',
        most,
        added: attributes.length,
        ownerId: partnerId,
        present: sql`attribute where partner_id = ${partnerId}`,
        advice: 'Delete attributes that are not used, or ask the operator for a higher limit.',
      });
      const [names, descriptions, foreignKeys] = [
        await jsonOf(attributes.map(({ name }) => displayName(name))),
        await jsonOf(attributes.map(({ description }) => description)),
        await jsonOf(attributes.map(({ partnerForeignKey }) => partnerForeignKey)),
      ];
      // One statement, because inserting 10,000 in pieces took 20 s instead of one.
      const { rows } = await sql<{ attributeIds: number[]; keys: (string | null)[] | null }>`
        with made as (
          insert into segment (kind)
          select 'attribute' from generate_series(1, ${attributes.length}::integer)
          returning segment_id
        ), numbered as (
          select segment_id, row_number() over (order by segment_id) as number from made
        ), inserted as (
          insert into attribute (partner_id, segment_id, name, description, partner_foreign_key)
          select ${partnerId}::bigint, segment_id, name, description, key
          from rows from (
            json_array_elements_text(${names}::json),
            json_array_elements_text(${descriptions}::json),
            json_array_elements_text(${foreignKeys}::json)
          ) with ordinality as given (name, description, key, number)
          join numbered using (number)
          order by number
          on conflict on constraint attribute_foreign_key_unique do nothing
          returning attribute_id, partner_foreign_key as key
        )
        select coalesce(json_agg(attribute_id order by attribute_id), '[]') as "attributeIds",
          case when count(*) < ${attributes.length} then json_agg(key) end as keys
        from inserted
      `.execute(tx);
      // Until PostgreSQL knows that there are many, a page of a list sorts all of them.
      if (attributes.length >= manyAttributes) await sql`analyze attribute`.execute(tx);
      const { attributeIds, keys } = rows[0]!;
      if (attributeIds.length === attributes.length) return attributeIds;
      const made = new Set(keys);
      for (const { partnerForeignKey } of attributes) {
        // A key that is given twice was inserted only once.
        if (partnerForeignKey !== null && !made.delete(partnerForeignKey)) {
          throw foreignKeyTaken(partnerForeignKey);
        }
      }
      return attributeIds;
    });
  }

  /** The partner's attributes with these keys, ordered by id. */
  async function findByKeys(
    partnerId: number,
    type: KeyType,
    keys: readonly string[],
  ): Promise<readonly KeyedAttribute[]> {
    const key =
      type === keyType.attributeId
        ? sql<string>`attribute_id::text`
        : sql<string>`partner_foreign_key`;
    // PostgreSQL text cannot contain U+0000, so no attribute has such a key.
    const given = await jsonOf(keys.filter((text) => !text.includes('\0')));
    return readAsJson(
      db,
      sql<KeyedAttribute>`
        select ${key} as key, attribute_id as "attributeId", segment_id as "segmentId"
        from attribute
        where partner_id = ${partnerId}
          and ${key} in (select json_array_elements_text(${given}::json))
        order by attribute_id
      `,
    );
  }

  return {
    async create(partnerId: number, attribute: NewAttribute, most?: number): Promise<number> {
      const [attributeId] = await createAll(partnerId, [attribute], most);
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
              ...(name !== undefined && { name: displayName(name) }),
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

    /** Removes attributes without runs; call it in the transaction that drops their runs. */
    async remove(attributes: readonly Pick<KeyedAttribute, 'segmentId'>[]): Promise<void> {
      const segmentIds = attributes.map(({ segmentId }) => segmentId);
      for (const table of ['attribute', 'attribute_history', 'segment'] as const) {
        await sql`
          delete from ${sql.table(table)} where segment_id = any(${segmentIds}::bigint[])
        `.execute(db);
      }
    },

    /** Those whose name or key contains the text, ignoring case. Ordered by id. */
    async list(
      partnerId: number,
      { after, limit }: Page,
      search: string | null = null,
    ): Promise<Attribute[]> {
      const isFound =
        search === null
          ? sql`true`
          : sql`(${hasText(sql`name`, search)} or ${hasText(sql`partner_foreign_key`, search)})`;
      const rows = await readAsJson(
        db,
        sql<Attribute>`
          select attribute_id as "attributeId", name, description,
            partner_foreign_key as "partnerForeignKey", ${uniqueDevices} as "uniqueDevices",
            created_at as "createdAt", updated_at as "updatedAt"
          from attribute
          where partner_id = ${partnerId} and attribute_id > ${after ?? 0} and ${isFound}
          order by attribute_id
          limit ${limit}
        `,
      );
      return rows.map((row) => ({
        ...row,
        createdAt: new Date(row.createdAt),
        updatedAt: new Date(row.updatedAt),
      }));
    },

    async find(partnerId: number, attributeId: number): Promise<Attribute | undefined> {
      const row = await withCounts(db, partnerId)
        .where('attribute_id', '=', attributeId)
        .executeTakeFirst();
      return row && attribute(row);
    },

    /** The partner's current attributes, by the keys that its files may contain. */
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

    findByKeys,

    /** Those of the keys that no attribute of the partner has, in their order. */
    async unknownKeys(
      partnerId: number,
      type: KeyType,
      keys: readonly string[],
    ): Promise<string[]> {
      const known = new Set((await findByKeys(partnerId, type, keys)).map(({ key }) => key));
      return keys.filter((key) => !known.has(key));
    },
  };
}

/**
 * Changes of a partner's keys run one at a time. Two requests that each want a key of the other
 * would otherwise deadlock.
 */
async function lockKeys(tx: Database, partnerId: number): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(current_schema || ' attributes', ${partnerId}))
  `.execute(tx);
}

function foreignKeyTaken(key: string | null | undefined, cause?: unknown): TributaryError {
  return new TributaryError(
    'foreign_key_taken',
    `Another of your attributes already has the partner_foreign_key ${JSON.stringify(key)}: choose a different one.`,
    { cause },
  );
}

/**
 * Texts as one JSON array. The driver takes 17 ms for arrays of 10,000 attributes while no other request is
 * served. JSON takes 4 ms, and others are served in between.
 */
async function jsonOf(texts: readonly (string | null)[]): Promise<string> {
  const parts: string[] = [];
  for (let start = 0; start < texts.length; start += textsPerTurn) {
    if (start > 0) await setImmediate();
    // PostgreSQL refuses half of a surrogate pair in JSON. In UTF-8 it is replaced as well.
    const part = texts
      .slice(start, start + textsPerTurn)
      .map((text) => text?.toWellFormed() ?? null);
    parts.push(JSON.stringify(part).slice(1, -1));
  }
  return `[${parts.join()}]`;
}

const uniqueDevices = sql<number>`(
  select coalesce(sum(devices), 0)::bigint from run where run.segment_id = attribute.segment_id
)`;

function withCounts(db: Database, partnerId: number) {
  return db
    .selectFrom('attribute')
    .selectAll()
    .select(uniqueDevices.as('unique_devices'))
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
