import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import {
  CreatedAudience,
  type CreationSettings,
  createAudienceWriter,
  NewAudienceMembers,
} from '../audiences/audience-creation.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import type { Write } from '../server/idempotent-write.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { invalidRequest } from '../server/problems.ts';
import { Id } from '../server/wire.ts';

/**
 * Audiences for customers, created in the console. Programs send the user token itself. In the console
 * the partner is signed in, and a valid token in the records proves the customer's permission.
 */
export function registerCustomerAudiences(
  app: App,
  records: Records,
  auth: Auth,
  write: Write,
  settings: CreationSettings,
): void {
  const create = createAudienceWriter(write, settings);

  app.get(
    '/v1/console/customers',
    partnerRoute(auth, 'Console', {
      operationId: 'listConsoleCustomers',
      summary: 'List the customers you may act for',
      description: 'The customers for whom you have a valid user token, by name.',
      response: {
        200: Type.Array(
          Type.Object({
            customer_id: Id('The customer.'),
            name: Type.String({ examples: ['Corner shop'] }),
          }),
        ),
      },
    }),
    async ({ partnerId }) => {
      const customers = await records.userTokens.customers(partnerId);
      return customers.map(({ customerId, name }) => ({ customer_id: customerId, name }));
    },
  );

  app.post(
    '/v1/console/audiences',
    partnerRoute(auth, 'Console', {
      operationId: 'createConsoleAudience',
      summary: 'Create an audience for a customer',
      description:
        'Only for partners who are signed in to the console, and only for customers for whom the partner has a valid user token. Programs create an audience with the user token instead.',
      security: [{ session: [] }],
      body: Type.Object(
        { ...NewAudienceMembers, customer_id: Id('The customer.') },
        { additionalProperties: false },
      ),
      response: { 201: CreatedAudience },
    }),
    async (request, reply) => {
      const { partnerId, session } = request;
      if (!session) {
        throw new TributaryError(
          'forbidden',
          'Sign in to the console to choose a customer. With an API key, send the user token of the customer to /v2/firstparty/audience.',
        );
      }
      const { customer_id, ...audience } = request.body;
      const customers = await records.userTokens.customers(partnerId);
      if (!customers.some(({ customerId }) => customerId === customer_id)) {
        const message = 'is not a customer for whom you have a valid user token';
        throw invalidRequest([{ pointer: '/customer_id', message }]);
      }
      request.customerId = customer_id;
      return create(request, reply, audience, '/v2/firstparty/audience');
    },
  );
}
