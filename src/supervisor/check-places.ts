import type { ServingConfig } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { readOrMakeMark } from '../data-dir/data-dir.ts';
import type { Places } from '../records/database/places.ts';

/**
 * Makes sure that the settings name the places where the service's device sets and objects are, if
 * there are any yet: elsewhere nothing would be found, and nothing be counted. Whether a ClickHouse
 * is the one that has them is for the warehouse to say, since it may be away now. A bucket is taken
 * as it is, for objects can be copied to it.
 */
export async function checkPlaces(
  { clickhouse, objects, dataDir }: ServingConfig,
  places: Places,
): Promise<void> {
  if (clickhouse) {
    const place = await places.find('device sets');
    if (place?.kind === 'folder') {
      throw new ConfigError(
        `TRIBUTARY_WAREHOUSE must not be set: the device sets of this service are files in ${place.address}. ${wayOut}`,
      );
    }
  } else await checkFolder('device sets');
  if (objects.kind === 'disk') await checkFolder('objects');

  async function checkFolder(content: 'device sets' | 'objects'): Promise<void> {
    const mark = await readOrMakeMark(dataDir);
    const place = await places.register(content, { kind: 'folder', mark, address: dataDir });
    if (place.mark === mark) return;
    throw new ConfigError(
      place.kind === 'clickhouse'
        ? `TRIBUTARY_WAREHOUSE must be set: the ${content} of this service are in ${place.address}. ${wayOut}`
        : `TRIBUTARY_DATA_DIR ${dataDir} is not the folder with the ${content} of this service, which was ${place.address} when it was first used: all processes need that one, on a file system that they share`,
    );
  }
}

const wayOut =
  'They are not carried over: to have them elsewhere, begin with another TRIBUTARY_DATABASE_SCHEMA and TRIBUTARY_DATA_DIR, and load everything again';
