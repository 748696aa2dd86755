import { Type } from 'typebox';
import { Timestamp } from '../server/wire.ts';

const RemovalTimes = {
  removed_at: Timestamp,
  delete_by: Type.String({
    ...Timestamp,
    description:
      'The latest time at which the bytes of all devices leave the disk: `TRIBUTARY_DELETION_HOURS` after the removal.',
  }),
};

export const RemovalSchema = Type.Object(RemovalTimes, {
  description: 'Removed. The data is being deleted.',
});

export const PendingRemovals = Type.Array(
  Type.Object({
    kind: Type.Enum(['partner', 'customer'], { examples: ['partner'] }),
    id: Type.Integer({ examples: [1] }),
    name: Type.String({ examples: ['acme'] }),
    ...RemovalTimes,
  }),
  { description: 'Removed partners and customers whose data is being deleted, the oldest first.' },
);

export function removalTimes(removedAt: Date, deletionHours: number) {
  const deleteBy = new Date(removedAt.getTime() + deletionHours * 60 * 60 * 1000);
  return { removed_at: removedAt.toISOString(), delete_by: deleteBy.toISOString() };
}
