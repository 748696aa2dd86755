import type { Composition } from '../../src/cli/output/composition-text.ts';
import { answerOf } from '../../src/client/client.ts';
import { audiences } from '../people/audiences.ts';
import { compass, northfield } from '../people/taxonomy.ts';
import { createPopulation } from '../people/traits.ts';
import type { DemoService } from '../service.ts';
import type { AudienceSummary, Summary } from '../summary.ts';
import { loadAudience } from './load-audience.ts';
import { loadMarketplace } from './load-marketplace.ts';
import type { Narration } from './narration.ts';
import {
  type Partner,
  provisionCustomer,
  provisionPartner,
  removeExampleAttributes,
} from './provision.ts';

/** About three million of them get an attribute, given the reach of the partners. */
const populationDevices = 3_900_000;

/** Loads everything into an empty service, using only the API and S3. */
export async function loadEverything(
  service: DemoService,
  scale: number,
  narration: Narration,
): Promise<Summary> {
  const scaled = (devices: number) => Math.round(devices * scale);
  await removeExampleAttributes(service);
  const customer = await provisionCustomer(service);
  const sellers = [northfield, compass];
  const partners: Partner[] = [];
  for (const seller of sellers) partners.push(await provisionPartner(service, seller, customer));

  const population = createPopulation(scaled(populationDevices));
  for (const partner of partners) await loadMarketplace(partner, population, narration);

  const loaded: AudienceSummary[] = [];
  for (const audience of audiences) {
    const partner = partners.find(({ seller }) => seller === audience.partner)!;
    const strangers = scaled(audience.strangers);
    const details = await loadAudience(audience, partner, population, strangers, narration);
    const params = { path: { audience_id: String(details.audience_id) } };
    const report = (await answerOf(
      partner.forCustomer.GET('/v2/firstparty/audience/{audience_id}/composition', { params }),
    )) as Composition;
    loaded.push({
      name: audience.name,
      segmentId: details.default_warehouse_segment_id,
      devices: details.unique_devices,
      matchedDevices: details.matched_devices,
      outstanding: highestIndex(report),
    });
  }
  return {
    email: customer.email,
    password: customer.password,
    apiKeys: Object.fromEntries(partners.map(({ seller, apiKey }) => [seller.name, apiKey])),
    audiences: loaded,
  };
}

function highestIndex({ attributes }: Composition): AudienceSummary['outstanding'] {
  const [first] = attributes.toSorted((one, other) => (other.index ?? 0) - (one.index ?? 0));
  return first?.index ? { name: first.name, index: first.index } : null;
}
