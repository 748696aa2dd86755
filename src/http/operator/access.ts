import { Type } from 'typebox';
import { disableAccess } from '../../actions/disable-access.ts';
import { removeParty } from '../../actions/remove-party.ts';
import type { Party } from '../../records/access/access.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { DisplayName, found } from '../server/wire.ts';
import { CustomerParams, customerPath, existingCustomer } from './customer-path.ts';
import { operatorRoute } from './operator-route.ts';
import { existingPartner, PartnerParams, partnerPath } from './partner-path.ts';
import { RemovalSchema, removalTimes } from './removal-wire.ts';

const Count = (description: string) => Type.Integer({ description, examples: [1] });

const PartnerHoldings = Type.Object({
  api_keys: Count('API keys that are not revoked.'),
  storage_credentials: Count('Storage credentials that are not revoked.'),
  apps: Count('OAuth apps.'),
  user_tokens: Count('User tokens that are valid.'),
  sessions: Count('Console sessions opened with its API keys.'),
  open_jobs: Count('Pending and running jobs.'),
  attributes: Count('Attributes.'),
  audiences: Count('Audiences, also those for customers.'),
  object_bytes: Count('Bytes in the embedded object store.'),
});

const CustomerHoldings = Type.Object({
  users: Count('Users.'),
  user_tokens: Count('User tokens that are valid.'),
  grants: Count('Permissions that its users gave to apps.'),
  sessions: Count('Console sessions of its users.'),
  open_jobs: Count('Pending and running loads of its audiences.'),
  audiences: Count('Audiences that partners loaded for it.'),
});

/** A change of a partner or a customer, with an example of its name. */
function PartyChange(kind: Party['kind'], example: string) {
  return Type.Object(
    {
      name: Type.Optional(DisplayName(`New name of the ${kind}; need not be unique`, example)),
      disabled: Type.Optional(Type.Boolean({ examples: [true] })),
    },
    { additionalProperties: false, minProperties: 1 },
  );
}

/** Renaming, disabling, enabling and removing partners and customers. */
export function registerAdminAccess(
  app: App,
  records: Records,
  auth: Auth,
  deletionHours: number,
): void {
  app.get(
    `${partnerPath}/holdings`,
    operatorRoute(auth, {
      operationId: 'getPartnerHoldings',
      summary: 'What a partner has',
      description:
        'What stops working if the partner is disabled, and is deleted if it is removed.',
      params: PartnerParams,
      response: { 200: PartnerHoldings },
    }),
    async (request) => {
      const { partnerId } = await existingPartner(records, request.params);
      const held = await records.access.partnerHoldings(partnerId);
      const { bytes } = await records.storageUses.of(partnerId);
      return {
        api_keys: held.apiKeys,
        storage_credentials: held.storageCredentials,
        apps: held.apps,
        user_tokens: held.userTokens,
        sessions: held.sessions,
        open_jobs: held.openJobs,
        attributes: held.attributes,
        audiences: held.audiences,
        object_bytes: bytes,
      };
    },
  );

  app.patch(
    partnerPath,
    operatorRoute(auth, {
      operationId: 'changePartner',
      summary: 'Rename, disable or enable a partner',
      description:
        "A new name is shown everywhere from the next request on; the id and the prefix stay. While a partner is disabled, its API keys, storage credentials, apps and user tokens are refused. Disabling also ends its sessions and cancels its pending and running jobs, which then have the problem `access_disabled`. Its data stays, also in everyone's reports. Open streams end within 15 seconds. After enabling, its credentials work again; the partner signs in and queues its jobs again. Credentials and upload links of an external store do not stop: revoke them there.",
      params: PartnerParams,
      body: PartyChange('partner', 'acme'),
      response: { 204: Type.Null({ description: 'Changed.' }) },
    }),
    async (request, reply) => {
      const before = await existingPartner(records, request.params);
      await change({ kind: 'partner', id: before.partnerId }, request.body);
      noteChange(request, { before: membersBefore(before, request.body), after: request.body });
      return reply.code(204).send(null);
    },
  );

  app.delete(
    partnerPath,
    operatorRoute(auth, {
      operationId: 'removePartner',
      summary: 'Remove a partner',
      description:
        "Disables the partner for good and deletes its credentials at once. A worker then deletes its attributes and audiences with all their devices, its jobs and their logs, and the objects under its prefix. Its attributes disappear from everyone's reports. Its id, name and usage are kept. This cannot be undone.",
      params: PartnerParams,
      response: { 202: RemovalSchema },
    }),
    async (request, reply) => {
      const { partnerId: id, name } = await existingPartner(records, request.params);
      const removedAt = found(await removeParty(records, { kind: 'partner', id }), 'partner');
      noteChange(request, { before: { partner_id: id, name } });
      reply.code(202);
      return removalTimes(removedAt, deletionHours);
    },
  );

  app.get(
    `${customerPath}/holdings`,
    operatorRoute(auth, {
      operationId: 'getCustomerHoldings',
      summary: 'What a customer has',
      description:
        'What stops working if the customer is disabled, and is deleted if it is removed.',
      params: CustomerParams,
      response: { 200: CustomerHoldings },
    }),
    async (request) => {
      const { customerId } = await existingCustomer(records, request.params);
      const held = await records.access.customerHoldings(customerId);
      return {
        users: held.users,
        user_tokens: held.userTokens,
        grants: held.grants,
        sessions: held.sessions,
        open_jobs: held.openJobs,
        audiences: held.audiences,
      };
    },
  );

  app.patch(
    customerPath,
    operatorRoute(auth, {
      operationId: 'changeCustomer',
      summary: 'Rename, disable or enable a customer',
      description:
        'A new name is shown everywhere from the next request on; the id stays. While a customer is disabled, its users cannot sign in, and user tokens and the tokens of apps that act for its users are refused. Disabling also ends the sessions of its users and cancels the pending and running loads of its audiences, which then have the problem `access_disabled`. Its audiences stay.',
      params: CustomerParams,
      body: PartyChange('customer', 'Harbor Coffee'),
      response: { 204: Type.Null({ description: 'Changed.' }) },
    }),
    async (request, reply) => {
      const before = await existingCustomer(records, request.params);
      await change({ kind: 'customer', id: before.customerId }, request.body);
      noteChange(request, { before: membersBefore(before, request.body), after: request.body });
      return reply.code(204).send(null);
    },
  );

  app.delete(
    customerPath,
    operatorRoute(auth, {
      operationId: 'removeCustomer',
      summary: 'Remove a customer',
      description:
        'Disables the customer for good and deletes its users, their sessions and grants, and its user tokens at once. A worker then deletes the audiences that partners loaded for it, with all their devices, and the logs of these loads. This cannot be undone.',
      params: CustomerParams,
      response: { 202: RemovalSchema },
    }),
    async (request, reply) => {
      const { customerId: id, name } = await existingCustomer(records, request.params);
      const removedAt = found(await removeParty(records, { kind: 'customer', id }), 'customer');
      noteChange(request, { before: { customer_id: id, name } });
      reply.code(202);
      return removalTimes(removedAt, deletionHours);
    },
  );

  async function change(party: Party, { name, disabled }: Change): Promise<void> {
    const { access } = records;
    if (name !== undefined) found(await access.rename(party, name), party.kind);
    if (disabled === undefined) return;
    const isChanged = disabled ? await disableAccess(records, party) : await access.enable(party);
    found(isChanged, party.kind);
  }
}

interface Change {
  readonly name?: string;
  readonly disabled?: boolean;
}

/** Only the members that change. */
function membersBefore(
  { name, disabledAt }: { readonly name: string; readonly disabledAt: Date | null },
  change: Change,
): Change {
  return {
    ...(change.name === undefined ? {} : { name }),
    ...(change.disabled === undefined ? {} : { disabled: disabledAt !== null }),
  };
}
