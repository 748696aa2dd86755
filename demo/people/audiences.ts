import type { Affinity } from './affinity.ts';
import { compass, northfield, type Seller } from './taxonomy.ts';

/** An audience of the customer, loaded by one of the partners. */
export interface Audience extends Affinity {
  readonly name: string;
  readonly partner: Seller;
  /** Under the partner's prefix. */
  readonly folder: string;
  /** One file per week; the first creates the audience, the others are appended. */
  readonly weeks: readonly string[];
  /** Devices per week that no partner knows. */
  readonly strangers: number;
  /** The relative frequency of each event. */
  readonly events: Readonly<Record<string, number>>;
}

export const customerName = 'Harbor Coffee';

export const audiences: readonly Audience[] = [
  {
    name: 'Weekend hikers',
    partner: compass,
    folder: 'harbor-coffee/weekend-hikers/',
    weeks: ['week-45.csv', 'week-46.csv'],
    share: 0.016,
    lifts: { outdoors: 6, athletic: 1.5, city: 0.7, newParent: 0.4, retired: 0.6 },
    strangers: 8_000,
    events: { app_open: 0.5, trail_map_download: 0.24, store_visit: 0.16, purchase: 0.1 },
  },
  {
    name: 'New parents',
    partner: northfield,
    folder: 'harbor-coffee/new-parents/',
    weeks: ['november.csv'],
    share: 0.006,
    lifts: { newParent: 44, woman: 1.6, city: 1.2, retired: 0.3 },
    strangers: 18_000,
    events: { app_open: 0.46, mobile_order: 0.31, purchase: 0.14, loyalty_signup: 0.09 },
  },
  {
    name: 'City commuters',
    partner: northfield,
    folder: 'harbor-coffee/city-commuters/',
    weeks: ['november.csv'],
    share: 0.05,
    lifts: { city: 3.4, rural: 0.15, retired: 0.3, affluent: 1.4, newParent: 0.7 },
    strangers: 4_000,
    events: { app_open: 0.38, mobile_order: 0.34, purchase: 0.2, refund: 0.01, '': 0.07 },
  },
];
