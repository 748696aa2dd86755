import { randomBytes } from 'node:crypto';
import { answerOf, type TributaryClient } from '../../src/client/client.ts';
import { customerName } from '../people/audiences.ts';
import type { Seller } from '../people/taxonomy.ts';
import type { DemoService } from '../service.ts';
import type { StorageCredentials } from './upload.ts';

export interface Partner {
  readonly seller: Seller;
  readonly apiKey: string;
  readonly storage: StorageCredentials;
  /** The API as the partner. */
  readonly own: TributaryClient;
  /** The API as the partner, on behalf of the customer. */
  readonly forCustomer: TributaryClient;
}

export interface Customer {
  readonly customerId: number;
  readonly email: string;
  readonly password: string;
}

/** Creates a customer and a user who can sign in to the console. */
export async function provisionCustomer({ operator }: DemoService): Promise<Customer> {
  const { customer_id } = await answerOf(
    operator.POST('/admin/v1/customers', { body: { name: customerName } }),
  );
  const email = 'ada@harbor-coffee.example';
  const password = randomBytes(12).toString('base64url');
  await answerOf(
    operator.POST('/admin/v1/customers/{customer_id}/users', {
      params: { path: { customer_id: String(customer_id) } },
      body: { email, password },
    }),
  );
  return { customerId: customer_id, email, password };
}

/** Creates a partner with an API key, storage credentials and a user token for the customer. */
export async function provisionPartner(
  service: DemoService,
  seller: Seller,
  { customerId }: Customer,
): Promise<Partner> {
  const { operator } = service;
  const { partner_id } = await answerOf(
    operator.POST('/admin/v1/partners', { body: { name: seller.name } }),
  );
  const params = { path: { partner_id: String(partner_id) } };
  const { api_key: apiKey } = await answerOf(
    operator.POST('/admin/v1/partners/{partner_id}/api-keys', { params, body: { label: 'demo' } }),
  );
  const storage = await answerOf(
    operator.POST('/admin/v1/partners/{partner_id}/storage-credentials', { params, body: null }),
  );
  const { user_token } = await answerOf(
    operator.POST('/admin/v1/partners/{partner_id}/user-tokens', {
      params,
      body: { customer_id: customerId },
    }),
  );
  return {
    seller,
    apiKey,
    storage,
    own: service.as(apiKey),
    forCustomer: service.as(apiKey, user_token),
  };
}

/** Removes the example attribute of a new service, which would clutter the demo. */
export async function removeExampleAttributes(service: DemoService): Promise<void> {
  const { operator } = service;
  for (const { partner_id } of await answerOf(operator.GET('/admin/v1/partners'))) {
    const path = { partner_id: String(partner_id) };
    const { api_key, api_key_id } = await answerOf(
      operator.POST('/admin/v1/partners/{partner_id}/api-keys', { params: { path }, body: {} }),
    );
    const partner = service.as(api_key);
    for (const { attribute_id } of await answerOf(partner.GET('/v1/marketplace/attribute'))) {
      await answerOf(
        partner.DELETE('/v1/marketplace/attribute/{attribute_id}', {
          params: { path: { attribute_id: String(attribute_id) } },
        }),
      );
    }
    await answerOf(
      operator.DELETE('/admin/v1/partners/{partner_id}/api-keys/{api_key_id}', {
        params: { path: { ...path, api_key_id: String(api_key_id) } },
      }),
    );
  }
}
