import { answerOf, ProblemAnswer, type TributaryClient } from '../../client/client.ts';

/** Finds the service and the operator's token, when a command needs them. */
export type Connect = () => Promise<TributaryClient>;

/** A partner is named by its id, or by its name where only one has it. */
export async function findPartnerId(client: TributaryClient, idOrName: string): Promise<number> {
  const partners = await answerOf(client.GET('/admin/v1/partners'));
  const named = partners.map(({ partner_id, name }) => ({ id: partner_id, name }));
  return onlyOne('partner', named, idOrName);
}

/** As a partner is. */
export async function findCustomerId(client: TributaryClient, idOrName: string): Promise<number> {
  const customers = await answerOf(client.GET('/admin/v1/customers'));
  const named = customers.map(({ customer_id, name }) => ({ id: customer_id, name }));
  return onlyOne('customer', named, idOrName);
}

/** One of a partner's apps, by its client id or as a partner is: the path to it. */
export async function findApp(client: TributaryClient, partner: string, idOrName: string) {
  const path = { partner_id: String(await findPartnerId(client, partner)) };
  const apps = await answerOf(
    client.GET('/admin/v1/partners/{partner_id}/oauth-apps', { params: { path } }),
  );
  const named = apps.map(({ client_id, name }) => ({ id: client_id, name }));
  return { ...path, client_id: onlyOne('app', named, idOrName) };
}

/** One of a customer's users, by id or e-mail: the path to them. */
export async function findUser(client: TributaryClient, customer: string, idOrEmail: string) {
  const path = { customer_id: String(await findCustomerId(client, customer)) };
  const users = await answerOf(
    client.GET('/admin/v1/customers/{customer_id}/users', { params: { path } }),
  );
  const found = users.find(
    ({ user_id, email }) => String(user_id) === idOrEmail || email === idOrEmail,
  );
  if (!found) throw new ProblemAnswer(`the customer has no user ${JSON.stringify(idOrEmail)}`);
  return { ...path, user_id: String(found.user_id) };
}

interface Named<Id> {
  readonly id: Id;
  readonly name: string;
}

function onlyOne<Id>(what: string, all: readonly Named<Id>[], idOrName: string): Id {
  const byId = all.filter(({ id }) => String(id) === idOrName);
  const matching = byId.length > 0 ? byId : all.filter(({ name }) => name === idOrName);
  const [found, another] = matching;
  if (!found) throw new ProblemAnswer(`there is no ${what} ${JSON.stringify(idOrName)}`);
  if (another) {
    const ids = matching.map(({ id }) => id).join(', ');
    throw new ProblemAnswer(`several ${what}s are called ${idOrName}: use an id, one of ${ids}`);
  }
  return found.id;
}
