import { type RawBuilder, sql } from 'kysely';

/** The audiences that may be loaded: all of a partner's, or only those of one of its customers. */
export interface LoaderScope {
  readonly partnerId: number;
  readonly customerId: number | null;
}

/** The audiences that may be read. A customer sees its own, whichever partner loaded them. */
export type AudienceScope = LoaderScope | { readonly partnerId: null; readonly customerId: number };

export function inScope({ partnerId, customerId }: AudienceScope): RawBuilder<boolean> {
  const ofPartner = sql<boolean>`audience.partner_id = ${partnerId}`;
  const ofCustomer = sql<boolean>`audience.customer_id = ${customerId}`;
  if (partnerId === null) return ofCustomer;
  return customerId === null ? ofPartner : sql<boolean>`${ofPartner} and ${ofCustomer}`;
}
