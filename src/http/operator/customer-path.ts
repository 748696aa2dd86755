import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { found, PathId, parseId } from '../server/wire.ts';

export const customersPath = '/admin/v1/customers';
export const customerPath = `${customersPath}/:customer_id`;
export const CustomerParams = Type.Object({ customer_id: PathId('The customer.') });

/** The id of a customer that exists. */
export async function existingCustomer(
  records: Records,
  params: { readonly customer_id: string },
): Promise<number> {
  const customer = await records.customers.find(parseId(params.customer_id, 'customer'));
  return found(customer, 'customer').customerId;
}
