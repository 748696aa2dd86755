import { fillDevice } from '../../bench/generate/devices.ts';
import { writeDevice } from '../../bench/generate/rows.ts';
import { chancesOf, draw, saltOf } from '../people/affinity.ts';
import type { Seller } from '../people/taxonomy.ts';
import { type Population, traitNames } from '../people/traits.ts';
import { type WriteLines, writeBytes } from './csv-chunks.ts';
import { createFaults } from './faults.ts';

export const sellerHeader = 'id,id_type,country,operation,attribute_ids';

const idTypes = [Buffer.from(',1,US,0,'), Buffer.from(',3,US,0,')];
const bar = 0x7c;
const lineFeed = 0x0a;

/** Each device that the partner reaches, with the keys of its attributes. */
export function createSellerLines(
  seller: Seller,
  population: Population,
  faultOneIn = 400,
): WriteLines {
  const { attributes, reach, name } = seller;
  const reached = chancesOf([reach], traitNames);
  const reachSalt = saltOf(`reach ${name}`);
  const chances = chancesOf(attributes, traitNames);
  const salts = Uint32Array.from(attributes, ({ key }) => saltOf(`attribute ${key}`));
  const keys = attributes.map(({ key }) => Buffer.from(key));
  const writeFault = createFaults(name, faultOneIn, [',3,US,0,women', ',3,US,0,retired-key']);
  const words = new Uint32Array(4);

  return (out, at, device) => {
    const traits = population.traits[device]!;
    const start = writeFault(out, at, device);
    if (draw(device, reachSalt) >= reached[traits]!) return start;
    let end = start;
    for (let index = 0; index < keys.length; index++) {
      if (draw(device, salts[index]!) >= chances[traits * keys.length + index]!) continue;
      if (end > start) {
        out[end++] = bar;
      } else {
        fillDevice(words, 'uniform', device, population.devices);
        end = writeBytes(out, writeDevice(out, end, words), idTypes[device & 1]!);
      }
      end = writeBytes(out, end, keys[index]!);
    }
    if (end > start) out[end++] = lineFeed;
    return end;
  };
}
