import type { paths } from '../../../../src/client/openapi.ts';
import type { AudienceWire } from '../../api/wire.ts';

/** An audience in the list, with its owners. */
export type ListedAudience = AudienceWire;

/** An audience with its files. */
export type AudienceDetails =
  paths['/v2/firstparty/audience/{audience_id}']['get']['responses'][200]['content']['application/json'];

interface HasSegment {
  readonly default_warehouse_segment_id: number;
}

export function reportAddress({ default_warehouse_segment_id }: HasSegment): string {
  return `/console/segments/${default_warehouse_segment_id}`;
}
