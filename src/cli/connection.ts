import { answerOf, ProblemAnswer, type TributaryClient } from '../client/client.ts';

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

interface Named {
  readonly id: number;
  readonly name: string;
}

function onlyOne(what: string, all: readonly Named[], idOrName: string): number {
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
