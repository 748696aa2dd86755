import { ApiError, answerOf, type TributaryClient } from '../../client/client.ts';

export async function findPartnerId(client: TributaryClient, idOrName: string): Promise<number> {
  const partners = await answerOf(client.GET('/admin/v1/partners'));
  const named = partners.map(({ partner_id, name }) => ({ id: partner_id, name }));
  return onlyMatch('partner', named, idOrName);
}

export async function findCustomerId(client: TributaryClient, idOrName: string): Promise<number> {
  const customers = await answerOf(client.GET('/admin/v1/customers'));
  const named = customers.map(({ customer_id, name }) => ({ id: customer_id, name }));
  return onlyMatch('customer', named, idOrName);
}

/** The path parameters of a partner's resources. */
export async function partnerPath(client: TributaryClient, partner: string) {
  return { partner_id: String(await findPartnerId(client, partner)) };
}

export async function customerPath(client: TributaryClient, customer: string) {
  return { customer_id: String(await findCustomerId(client, customer)) };
}

/** The path parameters of a partner's app, found by client id or name. */
export async function appPath(client: TributaryClient, partner: string, idOrName: string) {
  const path = await partnerPath(client, partner);
  const apps = await answerOf(
    client.GET('/admin/v1/partners/{partner_id}/oauth-apps', { params: { path } }),
  );
  const named = apps.map(({ client_id, name }) => ({ id: client_id, name }));
  return { ...path, client_id: onlyMatch('app', named, idOrName) };
}

/** The path parameters of a customer's user, found by id or e-mail. */
export async function userPath(client: TributaryClient, customer: string, idOrEmail: string) {
  const path = await customerPath(client, customer);
  const users = await answerOf(
    client.GET('/admin/v1/customers/{customer_id}/users', { params: { path } }),
  );
  const found = users.find(
    ({ user_id, email }) => String(user_id) === idOrEmail || email === idOrEmail,
  );
  if (!found) throw new ApiError(`the customer has no user ${JSON.stringify(idOrEmail)}`);
  return { ...path, user_id: String(found.user_id) };
}

interface Named<Id> {
  readonly id: Id;
  readonly name: string;
}

/** An id takes precedence over a name. A name must be unique. */
function onlyMatch<Id>(what: string, all: readonly Named<Id>[], idOrName: string): Id {
  const byId = all.filter(({ id }) => String(id) === idOrName);
  const matching = byId.length > 0 ? byId : all.filter(({ name }) => name === idOrName);
  const [found, another] = matching;
  if (!found) throw new ApiError(`no ${what} ${JSON.stringify(idOrName)} found`);
  if (another) {
    const ids = matching.map(({ id }) => id).join(', ');
    throw new ApiError(`several ${what}s are named ${idOrName}: use one of the ids ${ids}`);
  }
  return found.id;
}
