import { ingestOf } from '../../acceptance/audience/ingest.ts';
import { rows } from '../../acceptance/marketplace/marketplace.ts';
import type { Credentials } from './session.ts';
import type { World } from './world.ts';

export const visitors = [
  'nobody',
  'a customer',
  'a customer with two audiences',
  'a partner',
  'a new partner',
  'an operator',
] as const;
export type Who = (typeof visitors)[number];

export interface Visit {
  readonly as?: Credentials;
  /** By path, a text that each page shows once its data is loaded. */
  readonly pages: Readonly<Record<string, string>>;
}

/** Every page for each kind of user; the partner has a failed import. */
export async function visitsOf(world: World): Promise<Record<Who, Visit>> {
  const { shop, marketplace, asOperator } = world;
  const { apiKey } = await marketplace.partner();
  const failed = await shop.acme.importedFile(`${rows(1, 2, 't1')}bad,t1\n`);
  const audience = `/console/audiences/${shop.summer.audience_id}`;
  const report = `/console/segments/${shop.summer.default_warehouse_segment_id}`;
  const operator = '/console/operator';
  return {
    nobody: { pages: { '/console': 'E-mail' } },
    'a customer': {
      as: shop.harbor.user,
      pages: {
        '/console/audiences': 'Summer sale',
        [audience]: 'visits.csv',
        [report]: 'What stands out',
        '/console/account': 'This session',
        '/console/nowhere': 'There is no page at this address.',
      },
    },
    'a customer with two audiences': await comparing(world),
    'a partner': {
      as: { api_key: shop.acme.apiKey },
      pages: {
        '/console/imports': 'Too many rows were rejected',
        [`/console/imports/${failed.import_log_id}`]: 'Not an advertising identifier',
        [audience]: 'visits.csv',
        '/console/attributes': 'Topic 0',
        '/console/compare': 'Second audience',
        '/console/upload': 'Drop files here',
        '/console/account': 'trib_key_',
        '/console/usage': 'Requests per month',
        '/console/webhooks': 'New webhook',
      },
    },
    'a new partner': {
      as: { api_key: apiKey },
      pages: {
        '/console/imports': 'No imports yet',
        '/console/attributes': 'No attributes yet',
        '/console/audiences': 'No audiences yet',
      },
    },
    'an operator': {
      as: asOperator,
      pages: {
        [operator]: 'Uploaded objects',
        [`${operator}/jobs`]: 'Too many rows were rejected',
        [`${operator}/jobs/${failed.import_log_id}`]: 'Not an advertising identifier',
        [`${operator}/audit`]: 'Create a partner',
        [`${operator}/partners`]: 'Acme Media',
        [`${operator}/partners/${shop.acme.partnerId}`]: 'Harbor Coffee',
        [`${operator}/customers`]: 'Harbor Coffee',
        [`${operator}/customers/${shop.harbor.customerId}`]: shop.harbor.user.email,
        [`${operator}/sessions`]: 'this session',
        [`${operator}/webhooks`]: 'Partners create webhooks themselves',
        [`${operator}/privacy`]: 'New request',
        [`${operator}/privacy/drop`]: 'No archives yet',
      },
    },
  };
}

/** Compares two audiences of a customer of its own. */
async function comparing({ shop, customers }: World): Promise<Visit> {
  const customer = await customers.create('Two Sisters');
  const ingest = ingestOf(shop.acme, await customers.userToken(shop.acme, customer));
  const [one, other] = await Promise.all([
    ingest.create('summer/visits.csv', 'Visits'),
    ingest.create('summer/orders.csv', 'Orders'),
  ]);
  await Promise.all([ingest.settled(one), ingest.settled(other)]);
  return {
    as: customer.user,
    pages: { [`/console/compare?one=${one}&other=${other}`]: 'Both audiences' },
  };
}
