import { Type } from 'typebox';
import type { Customer } from '../../records/access/customers.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { DisabledAt, DisplayName, Id, Timestamp } from '../server/wire.ts';
import { customersPath } from './customer-path.ts';
import { LookAlikeWarnings, lookAlikeWarnings } from './look-alikes.ts';
import { operatorRoute } from './operator-route.ts';

const CustomerMembers = {
  customer_id: Id('The customer.'),
  name: Type.String({ examples: ['Harbor Coffee'] }),
};

const ListQuery = Type.Object(
  pageQuery({ records: 'customers', id: 'customer_id', byDefault: null }),
  { additionalProperties: false },
);

export function registerAdminCustomers(
  app: App,
  records: Records,
  auth: Auth,
  sendList: SendList,
): void {
  app.post(
    customersPath,
    operatorRoute(auth, {
      operationId: 'createCustomer',
      summary: 'Create a customer',
      description: 'Partners load audiences on behalf of customers, with a user token.',
      body: Type.Object(
        { name: DisplayName('Name of the customer; need not be unique', 'Harbor Coffee') },
        { additionalProperties: false },
      ),
      response: {
        201: Type.Object(
          { ...CustomerMembers, warnings: LookAlikeWarnings },
          { description: 'Created.' },
        ),
      },
    }),
    async (request, reply) => {
      const customer = await records.customers.create(request.body.name);
      noteChange(request, { after: customerOnTheWire(customer) });
      reply.code(201);
      const { customerId: id, name } = customer;
      const warnings = await lookAlikeWarnings(records, { kind: 'customer', id, name });
      return { ...customerOnTheWire(customer), ...warnings };
    },
  );

  app.get(
    customersPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listCustomers',
        summary: 'List customers',
        querystring: ListQuery,
        response: {
          200: Type.Array(
            Type.Object({ ...CustomerMembers, created_at: Timestamp, disabled_at: DisabledAt }),
            {
              headers: pageHeaders,
            },
          ),
        },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) =>
      sendList(request, reply, {
        read: (page) => records.customers.list(page),
        row: (customer) => ({
          ...customerOnTheWire(customer),
          created_at: customer.createdAt.toISOString(),
          disabled_at: customer.disabledAt?.toISOString() ?? null,
        }),
        key: ({ customerId }) => customerId,
        byDefault: null,
      }),
  );
}

function customerOnTheWire({ customerId, name }: Customer) {
  return { customer_id: customerId, name };
}
