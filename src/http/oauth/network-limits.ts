import { networkOf } from '../server/client-address.ts';
import { createRateLimit } from '../server/rate-limit.ts';
import { oauthPaths } from './paths.ts';

/** Fewer authorizations than other requests: a person begins few, and each is stored for an hour. */
const requestsPerAuthorization = 50;

export interface NetworkLimits {
  /** Counts a request. 0 if it is within the limit, otherwise the seconds until the next one is allowed. */
  secondsToWait(path: string, clientAddress: string): number;
}

/** Limits by network, because callers are not authenticated yet. */
export function createNetworkLimits(perMinute: number): NetworkLimits {
  const authorizations = createRateLimit(Math.ceil(perMinute / requestsPerAuthorization));
  const others = createRateLimit(perMinute);
  return {
    secondsToWait(path, clientAddress) {
      const limit = path === oauthPaths.authorization ? authorizations : others;
      const { isAllowed, resetSeconds } = limit.count(networkOf(clientAddress));
      return isAllowed ? 0 : resetSeconds;
    },
  };
}
