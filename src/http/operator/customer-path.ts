import { Type } from 'typebox';
import type { Customer } from '../../records/access/customers.ts';
import type { Records } from '../../records/records.ts';
import { found, PathId, parseId } from '../server/wire.ts';

export const customersPath = '/admin/v1/customers';
export const customerPath = `${customersPath}/:customer_id`;
export const CustomerParams = Type.Object({ customer_id: PathId('The customer.') });

export async function existingCustomer(
  records: Records,
  params: { readonly customer_id: string },
): Promise<Customer> {
  return found(await records.customers.find(parseId(params.customer_id, 'customer')), 'customer');
}
