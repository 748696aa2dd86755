import { operatorOf } from '../../acceptance/audience/ingest.ts';
import type { Marketplace, Partner } from '../../acceptance/marketplace/marketplace.ts';

export interface Customer {
  readonly customerId: number;
  readonly name: string;
  /** The user who signs in for it. */
  readonly user: { readonly email: string; readonly password: string };
}

export type Customers = ReturnType<typeof customersOf>;

/** Customers whose users can sign in. */
export function customersOf(marketplace: Marketplace) {
  const operator = operatorOf(marketplace);
  let created = 0;
  return {
    async create(name: string, email = `user-${++created}@example.com`): Promise<Customer> {
      const customerId = await operator.customer(name);
      // The equals sign allows a form of another site to forge a JSON body.
      const user = { email, password: `correct=horse ${email}` };
      const answer = await operator.call('POST', `/admin/v1/customers/${customerId}/users`, user);
      if (answer.status !== 201) throw new Error(await answer.text());
      return { customerId, name, user };
    },
    /** A token for the partner to act for the customer. */
    userToken: (partner: Partner, { customerId }: Customer) =>
      operator.userToken(partner, customerId),
  };
}
