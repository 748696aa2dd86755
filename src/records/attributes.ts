import { sql } from 'kysely';
import { TributaryError } from '../domain/errors.ts';
import { type KeyType, keyType } from '../domain/job.ts';
import { atomically, type Database, violates } from './database.ts';
import { createSegments } from './segments.ts';

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

export interface SegmentKeys {
  /** The segments of all attributes of the partner, those without a key of that type included. */
  readonly segmentIds: readonly number[];
  /** By key: where its segment stands among them. */
  readonly numbers: ReadonlyMap<string, number>;
}

export type Attributes = ReturnType<typeof createAttributes>;

export function createAttributes(db: Database) {
  return {
    async create(partnerId: number, attribute: NewAttribute): Promise<number> {
      try {
        return await atomically(db, async (tx) => {
          const { attribute_id } = await tx
            .insertInto('attribute')
            .values({
              partner_id: partnerId,
              segment_id: await createSegments(tx).create('attribute'),
              name: attribute.name,
              description: attribute.description,
              partner_foreign_key: attribute.partnerForeignKey,
            })
            .returning('attribute_id')
            .executeTakeFirstOrThrow();
          return attribute_id;
        });
      } catch (error) {
        if (!violates(error, 'attribute_foreign_key_unique')) throw error;
        throw new TributaryError(
          'foreign_key_taken',
          `Another attribute has the partner_foreign_key ${JSON.stringify(attribute.partnerForeignKey)}: choose one that none of your attributes has.`,
          { cause: error },
        );
      }
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
  };
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
