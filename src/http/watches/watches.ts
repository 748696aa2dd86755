import type { Records } from '../../records/records.ts';
import { audienceAddresses } from '../audiences/audience-address.ts';
import type { SendList } from '../lists/send-list.ts';
import type { PartnerBuckets } from '../marketplace/bucket-credentials.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import type { Write } from '../server/idempotent-write.ts';
import { audienceWatches } from './audience-watches.ts';
import { marketplaceWatches } from './marketplace-watches.ts';
import { registerWatchRoutes } from './watch-routes.ts';

interface WatchDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly write: Write;
  readonly sendList: SendList;
  readonly partnerBuckets: PartnerBuckets;
  /** The shared bucket. */
  readonly bucket: string;
}

export function registerWatches(app: App, deps: WatchDependencies): void {
  const { records, auth, write, sendList } = deps;
  const kinds = [
    marketplaceWatches(auth, deps.partnerBuckets),
    ...audienceAddresses.map((address) => audienceWatches(auth, address, deps.bucket)),
  ];
  for (const kind of kinds) registerWatchRoutes(app, kind, records, write, sendList);
}
