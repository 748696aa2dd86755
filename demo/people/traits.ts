import { type Affinity, chancesOf, draw, saltOf } from './affinity.ts';

export type Trait =
  | 'young'
  | 'midlife'
  | 'older'
  | 'retired'
  | 'woman'
  | 'parent'
  | 'newParent'
  | 'city'
  | 'rural'
  | 'affluent'
  | 'outdoors'
  | 'athletic'
  | 'traveller'
  | 'handy';

/**
 * The hidden traits of the people behind the devices, from which everything else is derived. Each
 * trait may depend on earlier ones; that is how everybody gets one age and one residence.
 */
const traits: Readonly<Record<Trait, Affinity>> = {
  young: { share: 0.24 },
  midlife: { share: 0.4, lifts: { young: 0 } },
  older: { share: 0.62, lifts: { young: 0, midlife: 0 } },
  retired: { share: 1, lifts: { young: 0, midlife: 0, older: 0 } },
  woman: { share: 0.51 },
  parent: { share: 0.3, lifts: { young: 0.5, midlife: 1.8, retired: 0.05 } },
  newParent: { share: 0.01, lifts: { parent: 14, young: 2.2, older: 0.05, retired: 0 } },
  city: { share: 0.4, lifts: { young: 1.5, retired: 0.7, parent: 0.8 } },
  rural: { share: 0.35, lifts: { city: 0, young: 0.7 } },
  affluent: { share: 0.2, lifts: { young: 0.5, older: 1.5 } },
  outdoors: { share: 0.16, lifts: { rural: 1.5, midlife: 1.3, retired: 0.6 } },
  athletic: { share: 0.22, lifts: { young: 1.6, retired: 0.3, outdoors: 1.7 } },
  traveller: { share: 0.18, lifts: { affluent: 2.2, newParent: 0.4 } },
  handy: { share: 0.22, lifts: { older: 1.5, rural: 1.3, young: 0.5 } },
};

export const traitNames = Object.keys(traits) as Trait[];

export interface Population {
  readonly devices: number;
  /** The traits of each device, as bits. */
  readonly traits: Uint16Array;
}

export function createPopulation(devices: number): Population {
  const chances = chancesOf(Object.values(traits), traitNames);
  const salts = Uint32Array.from(traitNames, (name) => saltOf(`trait ${name}`));
  const held = new Uint16Array(devices);
  for (let device = 0; device < devices; device++) {
    let bits = 0;
    for (let bit = 0; bit < salts.length; bit++) {
      if (draw(device, salts[bit]!) < chances[bits * salts.length + bit]!) bits |= 1 << bit;
    }
    held[device] = bits;
  }
  return { devices, traits: held };
}
