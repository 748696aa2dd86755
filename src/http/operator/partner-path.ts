import { Type } from 'typebox';
import type { Partner } from '../../records/access/partners.ts';
import type { Records } from '../../records/records.ts';
import { found, PathId, parseId } from '../server/wire.ts';

export const partnersPath = '/admin/v1/partners';
export const partnerPath = `${partnersPath}/:partner_id`;
export const PartnerParams = Type.Object({ partner_id: PathId('The partner.') });

export async function existingPartner(
  records: Records,
  params: { readonly partner_id: string },
): Promise<Partner> {
  return found(await records.partners.find(parseId(params.partner_id, 'partner')), 'partner');
}
