import type { ServingConfig } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { readOrCreateMark } from '../data-dir/data-dir.ts';
import type { Places } from '../records/database/places.ts';

/**
 * Checks that the settings name the places that hold the device sets and objects of this service.
 * In any other place the service would find nothing and count zero. A ClickHouse cluster is checked
 * by the warehouse, because it may be unavailable now. A bucket is not checked: objects can be copied.
 */
export async function checkPlaces(
  { clickhouse, objects, dataDir }: ServingConfig,
  places: Places,
): Promise<void> {
  if (clickhouse) {
    const place = await places.find('device sets');
    if (place?.kind === 'folder') {
      throw new ConfigError(
        `TRIBUTARY_WAREHOUSE must not be set: the device sets of this service are files in ${place.address}. ${howToMove}`,
      );
    }
  } else await checkFolder('device sets');
  if (objects.kind === 'disk') await checkFolder('objects');

  async function checkFolder(content: 'device sets' | 'objects'): Promise<void> {
    const mark = await readOrCreateMark(dataDir);
    const place = await places.register(content, { kind: 'folder', mark, address: dataDir });
    if (place.mark === mark) return;
    throw new ConfigError(
      place.kind === 'clickhouse'
        ? `TRIBUTARY_WAREHOUSE must be set: the ${content} of this service are in ${place.address}. ${howToMove}`
        : `TRIBUTARY_DATA_DIR ${dataDir} is not the folder with the ${content} of this service, which was ${place.address} when it was first used. All processes must use that folder, on a shared file system`,
    );
  }
}

const howToMove =
  'To move them, start the service without this change and run "tributary warehouse copy --to <place>"';
