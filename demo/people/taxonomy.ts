import type { Affinity } from './affinity.ts';

/** An attribute that a partner offers. */
interface Attribute extends Affinity {
  readonly key: string;
  readonly name: string;
  readonly description: string;
}

export interface Seller {
  readonly name: string;
  /** The people it has any data about. */
  readonly reach: Affinity;
  readonly attributes: readonly Attribute[];
}

export const northfield: Seller = {
  name: 'Northfield Data',
  reach: { share: 0.56, lifts: { city: 1.12, retired: 0.85, newParent: 0.9 } },
  attributes: [
    attribute('age-18', 'Demographics > Age > 18 to 29', 0.02, { young: 42 }),
    attribute('age-30', 'Demographics > Age > 30 to 44', 0.02, { midlife: 42 }),
    attribute('age-45', 'Demographics > Age > 45 to 64', 0.02, { older: 42 }),
    attribute('age-65', 'Demographics > Age > 65 and over', 0.02, { retired: 42 }),
    attribute('women', 'Demographics > Gender > Women', 0.02, { woman: 44 }),
    attribute('men', 'Demographics > Gender > Men', 0.88, { woman: 0.02 }),
    attribute('children', 'Demographics > Household > With children', 0.04, { parent: 19 }),
    attribute('baby', 'Demographics > Household > New baby', 0.004, { newParent: 160 }),
    attribute('alone', 'Demographics > Household > Living alone', 0.2, {
      parent: 0.1,
      young: 1.5,
      retired: 1.6,
      city: 1.3,
    }),
    attribute('degree', 'Demographics > Education > University degree', 0.26, {
      affluent: 1.8,
      city: 1.3,
      retired: 0.6,
    }),
    attribute('city', 'Demographics > Residence > City', 0.03, { city: 28 }),
    attribute('suburb', 'Demographics > Residence > Suburb', 0.7, { city: 0.06, rural: 0.08 }),
    attribute('country', 'Demographics > Residence > Countryside', 0.03, { rural: 27 }),
    attribute('income-top', 'Finance > Income > Top fifth', 0.04, { affluent: 19 }),
    attribute('brokerage', 'Finance > Investing > Online brokerage', 0.06, {
      affluent: 3.2,
      young: 1.3,
    }),
    attribute('mortgage', 'Finance > Credit > Mortgage holders', 0.17, {
      midlife: 1.8,
      parent: 1.4,
      city: 0.6,
      young: 0.3,
      retired: 0.4,
    }),
    attribute('life-cover', 'Finance > Insurance > Looking for life insurance', 0.03, {
      newParent: 6,
      parent: 1.6,
    }),
    attribute('owners', 'Home & Garden > Home owners', 0.36, {
      city: 0.5,
      young: 0.3,
      affluent: 1.5,
    }),
    attribute('renovation', 'Home & Garden > Renovation', 0.08, { handy: 4.5, newParent: 1.5 }),
    attribute('gardening', 'Home & Garden > Gardening', 0.11, {
      handy: 2.2,
      rural: 1.8,
      city: 0.4,
      retired: 1.6,
    }),
    attribute('nursery', 'Home & Garden > Nursery furniture', 0.006, { newParent: 70 }),
    attribute('dogs', 'Home & Garden > Pets > Dog owners', 0.16, {
      rural: 1.7,
      outdoors: 1.5,
      city: 0.7,
    }),
  ],
};

export const compass: Seller = {
  name: 'Compass Insights',
  reach: { share: 0.5, lifts: { traveller: 1.3, athletic: 1.1, retired: 0.7 } },
  attributes: [
    attribute('suv', 'Autos > Segment > SUV', 0.16, { outdoors: 1.7, parent: 1.4, city: 0.5 }),
    attribute('family-car', 'Autos > Segment > Minivan and estate', 0.06, {
      parent: 3.4,
      newParent: 1.5,
      city: 0.7,
    }),
    attribute('electric', 'Autos > Fuel > Electric', 0.05, { affluent: 2.8, city: 1.3 }),
    attribute('new-car', 'Autos > In market > New car', 0.05, { newParent: 2.6, affluent: 1.5 }),
    attribute('transit', 'Travel > Commute > Public transport', 0.09, {
      city: 6,
      rural: 0.2,
      retired: 0.5,
    }),
    attribute('bicycle', 'Travel > Commute > Bicycle', 0.04, { city: 2.6, athletic: 2.2 }),
    attribute('parks', 'Travel > Leisure > National parks', 0.05, {
      outdoors: 8,
      traveller: 1.5,
      newParent: 0.5,
    }),
    attribute('resorts', 'Travel > Leisure > Family resorts', 0.06, {
      parent: 3.5,
      traveller: 1.6,
      young: 0.5,
    }),
    attribute('city-breaks', 'Travel > Leisure > City breaks', 0.12, {
      traveller: 2.8,
      newParent: 0.3,
    }),
    attribute('flyers', 'Travel > Business > Frequent flyers', 0.03, {
      traveller: 5,
      affluent: 1.8,
      newParent: 0.4,
    }),
    // Too few devices for the report, to show that it withholds the figures.
    attribute('own-plane', 'Travel > Business > Private aviation', 0.000_02, { affluent: 10 }),
    attribute('hiking', 'Sports > Outdoor > Hiking and camping', 0.05, { outdoors: 11 }),
    attribute('climbing', 'Sports > Outdoor > Climbing', 0.015, { outdoors: 5, young: 2.2 }),
    attribute('running', 'Sports > Running', 0.08, { athletic: 4.5 }),
    attribute('gym', 'Sports > Gym members', 0.1, { athletic: 3.2, city: 1.3, newParent: 0.5 }),
    attribute('skiing', 'Sports > Winter > Skiing', 0.05, {
      athletic: 2,
      affluent: 2.4,
      outdoors: 1.5,
    }),
    attribute('football', 'Sports > Watching > Football', 0.26, {}),
    attribute('racing', 'Sports > Watching > Motor racing', 0.08, { handy: 2, city: 0.7 }),
  ],
};

function attribute(
  key: string,
  name: string,
  share: number,
  lifts: NonNullable<Affinity['lifts']>,
): Attribute {
  const subject = name.split(' > ').slice(1).join(', ').toLowerCase();
  return { key, name, description: `Devices seen with: ${subject}.`, share, lifts };
}

/** The taxonomy as a partner posts it. None of the names needs quoting. */
export function taxonomyCsv({ attributes }: Seller): string {
  const lines = attributes.map(({ key, name, description }) => [name, `"${description}"`, key]);
  return [['name', 'description', 'partnerkey'], ...lines]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
}
