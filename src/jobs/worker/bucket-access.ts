import type { AccessKeys, AssumableRole } from '../../objects/port.ts';
import type { BucketCredentials } from '../../records/marketplace/import-logs.ts';
import type { Records } from '../../records/records.ts';

/** The credentials that a partner sent. A role also needs the external ID that the service gave the partner. */
export async function bucketAccess(
  records: Records,
  partnerId: number,
  credentials: BucketCredentials,
): Promise<(AccessKeys | AssumableRole) & { readonly region: string }> {
  if (!('roleArn' in credentials)) return credentials;
  return { ...credentials, externalId: await records.partners.externalId(partnerId) };
}
