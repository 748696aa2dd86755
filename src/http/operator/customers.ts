import { Type } from 'typebox';
import type { Customer } from '../../records/access/customers.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Id, nameOf, Timestamp } from '../server/wire.ts';

const tags = ['Operator'];
const security = [{ adminToken: [] }];

const CustomerMembers = {
  customer_id: Id('The customer.'),
  name: Type.String({ examples: ['Harbor Coffee'] }),
};

export function registerAdminCustomers(app: App, records: Records, auth: Auth): void {
  app.post(
    '/admin/v1/customers',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'createCustomer',
        summary: 'Create a customer',
        description: 'On whose behalf partners load audiences, with a user token.',
        body: Type.Object(
          { name: nameOf('Who the customer is; need not be unique', 'Harbor Coffee') },
          { additionalProperties: false },
        ),
        response: { 201: Type.Object(CustomerMembers, { description: 'Created.' }) },
      },
    },
    async (request, reply) => {
      const customer = await records.customers.create(request.body.name);
      reply.code(201);
      return onTheWire(customer);
    },
  );

  app.get(
    '/admin/v1/customers',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listCustomers',
        summary: 'List customers',
        response: { 200: Type.Array(Type.Object({ ...CustomerMembers, created_at: Timestamp })) },
      },
    },
    async () => {
      const customers = await records.customers.list();
      return customers.map((customer) => ({
        ...onTheWire(customer),
        created_at: customer.createdAt.toISOString(),
      }));
    },
  );
}

function onTheWire({ customerId, name }: Customer) {
  return { customer_id: customerId, name };
}
