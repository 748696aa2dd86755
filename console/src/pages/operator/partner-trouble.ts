import type { paths } from '../../../../src/client/openapi.ts';

export type PartnerTrouble =
  paths['/admin/v1/partners/{partner_id}/trouble']['get']['responses'][200]['content']['application/json'];

/** Whether at least nine tenths of a quota are used. */
export function nearQuota({ used, quota }: PartnerTrouble['quotas'][number]): boolean {
  return used >= quota * 0.9;
}
