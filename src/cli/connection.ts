import { answerOf, ProblemAnswer, type TributaryClient } from '../client/client.ts';

/** Finds the service and the operator's token, when a command needs them. */
export type Connect = () => Promise<TributaryClient>;

/** A partner is named by its id, or by its name where only one has it. */
export async function findPartnerId(client: TributaryClient, idOrName: string): Promise<number> {
  const partners = await answerOf(client.GET('/admin/v1/partners'));
  const byId = partners.filter((partner) => String(partner.partner_id) === idOrName);
  const matching = byId.length > 0 ? byId : partners.filter(({ name }) => name === idOrName);
  const [partner, another] = matching;
  if (!partner) throw new ProblemAnswer(`there is no partner ${JSON.stringify(idOrName)}`);
  if (another) {
    const ids = matching.map((each) => each.partner_id).join(', ');
    throw new ProblemAnswer(`several partners are called ${idOrName}: use an id, one of ${ids}`);
  }
  return partner.partner_id;
}
