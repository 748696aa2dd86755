import { networkOf } from '../server/client-address.ts';
import { createRateLimit } from '../server/rate-limit.ts';
import { oauthPaths } from './paths.ts';

/** A person begins few authorizations, and each is a row for an hour: one for so many other requests. */
const requestsPerAuthorization = 50;

export interface NetworkLimits {
  /** Counts a request: 0 if it may be answered, else when the next one may be. */
  secondsToWait(path: string, clientAddress: string): number;
}

/** Whoever calls here is not known yet, so it is their network that is held to a limit. */
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
