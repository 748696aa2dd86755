import { type AudienceDetails, ingestOf } from '../../acceptance/audience/ingest.ts';
import {
  device,
  type Marketplace,
  type Partner,
  rows,
} from '../../acceptance/marketplace/marketplace.ts';
import type { Customer, Customers } from './customers.ts';

/** Shared data that no test changes: a partner, and two customers with an audience each. */
export interface Shop {
  readonly acme: Partner;
  readonly harbor: Customer;
  /** Of Harbor Coffee; three quarters of its devices are in the marketplace. */
  readonly summer: AudienceDetails;
  readonly quiet: Customer;
  /** Of Quiet Books. */
  readonly readers: AudienceDetails;
}

export const attributeCount = 1_000;
const knownDevices = 4_000;
const keysEach = 50;
const categories = ['Travel', 'Food', 'Sports', 'Music', 'Games', 'Home', 'Money', 'Style'];

export async function openShop(marketplace: Marketplace, customers: Customers): Promise<Shop> {
  const acme = await marketplace.partnerNamed('Acme Media');
  const taxonomy = { text: taxonomyFile(), headers: { 'content-type': 'text/csv' } };
  const answer = await acme.call('POST', '/v1/marketplace/attribute', taxonomy);
  if (answer.status !== 201) throw new Error(answer.text);
  const log = await acme.importedFile(deviceFile());
  if (log.status !== 2) throw new Error(JSON.stringify(log));

  const harbor = await customers.create('Harbor Coffee');
  const quiet = await customers.create('Quiet Books');
  await acme.upload('summer/visits.csv', rows(1, 2_000, 'visit'));
  await acme.upload('summer/orders.csv', rows(1_501, 3_000, 'order') + strangers(1_000));
  await acme.upload('readers.csv', rows(3_000, 4_000, ''));
  const forHarbor = ingestOf(acme, await customers.userToken(acme, harbor));
  const forQuiet = ingestOf(acme, await customers.userToken(acme, quiet));
  const summerId = await forHarbor.create('summer/', 'Summer sale');
  const readersId = await forQuiet.create('readers.csv', 'Readers of spring');
  return {
    acme,
    harbor,
    summer: await forHarbor.settled(summerId),
    quiet,
    readers: await forQuiet.settled(readersId),
  };
}

function taxonomyFile(): string {
  const lines = Array.from({ length: attributeCount }, (_, number) => {
    const category = categories[number % categories.length];
    return `${category} > Group ${number % 40} > Topic ${number},,t${number}`;
  });
  return ['name,description,partnerkey', ...lines].join('\n');
}

/** Devices of the first half prefer the first topics, the others prefer the last. */
function deviceFile(): string {
  const random = pseudoRandom();
  const lines = Array.from({ length: knownDevices }, (_, number) => {
    const isFirstHalf = number < knownDevices / 2;
    const keys = Array.from({ length: keysEach }, () => {
      const drawn = random();
      const place = drawn < 0.5 ? random() : isFirstHalf ? drawn ** 2 : 1 - drawn ** 2;
      return `t${Math.min(attributeCount - 1, Math.floor(place * attributeCount))}`;
    });
    return `${device(number + 1)},${keys.join('|')}`;
  });
  return lines.join('\n');
}

/** Devices without attributes. */
function strangers(count: number): string {
  return rows(900_001, 900_000 + count, 'order');
}

/** Reproducible numbers between 0 and 1. */
function pseudoRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}
