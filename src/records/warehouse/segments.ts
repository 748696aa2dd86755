import type { Database } from '../database/connection.ts';
import type { SegmentKind } from '../database/schema.ts';

export type Segments = ReturnType<typeof createSegments>;

export function createSegments(db: Database) {
  return {
    async create(kind: SegmentKind): Promise<number> {
      const { segment_id } = await db
        .insertInto('segment')
        .values({ kind })
        .returning('segment_id')
        .executeTakeFirstOrThrow();
      return segment_id;
    },
  };
}
