import { lookup, Resolver } from 'node:dns/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns the addresses of a host. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;

const timing = { timeout: 3_000, tries: 2 };

export const resolveByDns = createDnsResolve();

/**
 * Asks the DNS directly, not through the operating system, whose lookups hold a thread of the process and
 * cannot be cancelled. `servers` replaces those of the system.
 */
export function createDnsResolve(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    signal.throwIfAborted();
    const resolver = new Resolver(timing);
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      const [four, six] = await Promise.allSettled([
        resolver.resolve4(host),
        resolver.resolve6(host),
      ]);
      if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
      return [...found(four, 4), ...found(six, 6)];
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function found(answer: PromiseSettledResult<string[]>, family: number): ResolvedAddress[] {
  if (answer.status === 'rejected') return [];
  return answer.value.map((address) => ({ address, family }));
}

/** Also knows hosts that are not in the DNS, such as `localhost`. */
export const resolveBySystem: Resolve = (host) => lookup(host, { all: true });
