import { fillDevice } from '../../bench/generate/devices.ts';
import { writeDevice } from '../../bench/generate/rows.ts';
import { chancesOf, draw, saltOf } from '../people/affinity.ts';
import type { Audience } from '../people/audiences.ts';
import { type Population, traitNames } from '../people/traits.ts';
import { type WriteLines, writeBytes } from './csv-chunks.ts';
import { createFaults } from './faults.ts';

export const audienceHeader = 'id,event';

/** Most devices have one line, some have more with other events. */
const linesOfDevice = { least: 1, most: 3, again: 0.3 * 2 ** 32 };

/**
 * The devices of an audience in one week. Indexes beyond the population are strangers: all of them
 * are in the file, and none has an attribute.
 */
export function createAudienceLines(
  audience: Audience,
  week: string,
  population: Population,
): WriteLines {
  const purpose = `${audience.name} ${week}`;
  const salt = saltOf(purpose);
  const chances = chancesOf([audience], traitNames);
  const writeEvent = createEventWriter(audience.events);
  const writeFault = createFaults(purpose, 5_000, [',app_open']);
  const eventSalts = Array.from({ length: linesOfDevice.most }, (_, nth) =>
    saltOf(`${purpose} event ${nth}`),
  );
  // Every week and every audience has its own strangers.
  const strangerOffset = salt % 2 ** 30;
  const words = new Uint32Array(4);

  return (out, at, device) => {
    let end = writeFault(out, at, device);
    const isStranger = device >= population.devices;
    if (!isStranger && draw(device, salt) >= chances[population.traits[device]!]!) return end;
    const index = isStranger ? device + strangerOffset : device;
    fillDevice(words, 'uniform', index, population.devices);
    for (let nth = 0; nth < linesOfDevice.most; nth++) {
      const drawn = draw(index, eventSalts[nth]!);
      if (nth >= linesOfDevice.least && drawn >= linesOfDevice.again) break;
      end = writeEvent(out, writeDevice(out, end, words), draw(drawn, salt));
    }
    return end;
  };
}

/** Writes the rest of a line: an event, chosen by its weight. */
function createEventWriter(events: Audience['events']) {
  const rests = Object.keys(events).map((event) => Buffer.from(`,${event}\n`));
  const total = Object.values(events).reduce((sum, weight) => sum + weight, 0);
  let reached = 0;
  const below = Float64Array.from(Object.values(events), (weight) => {
    reached += weight;
    return (reached / total) * 2 ** 32;
  });
  return (out: Buffer, at: number, drawn: number): number => {
    let chosen = 0;
    while (chosen < below.length - 1 && drawn >= below[chosen]!) chosen++;
    return writeBytes(out, at, rests[chosen]!);
  };
}
