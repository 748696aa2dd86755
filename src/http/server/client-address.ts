import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** A trusted proxy may forward an invalid address. The proxy's own address is used then. */
export function clientAddress(request: FastifyRequest): string {
  return isIP(request.ip) !== 0 ? request.ip : (request.socket.remoteAddress ?? 'unknown');
}

/** The network to limit: an IPv4 address, or the /64 of an IPv6 address, which is one customer's. */
export function networkOf(address: string): string {
  const ipv4 = address.replace(/^::ffff:/i, '');
  if (isIPv4(ipv4) || isIP(address) === 0) return ipv4;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const first = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [
    ...first,
    ...Array(Math.max(0, 8 - first.length - rest.length)).fill('0'),
    ...rest,
  ];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** The client's address in a request to a server that is not Fastify, by the same rules. */
export function createAddressReader(
  trustProxy: boolean | string,
): (request: IncomingMessage) => string {
  const isTrusted = typeof trustProxy === 'string' ? inNetworks(trustProxy) : () => trustProxy;
  return ({ headers, socket }) => {
    const peer = socket.remoteAddress ?? 'unknown';
    const forwarded = String(headers['x-forwarded-for'] ?? '');
    const hops = [...forwarded.split(',').map((hop) => hop.trim()), peer].filter((hop) => hop);
    // From the last hop to the first that is not a trusted proxy.
    let at = hops.length - 1;
    while (at > 0 && isTrusted(hops[at]!)) at -= 1;
    return isIP(hops[at]!) === 0 ? peer : hops[at]!;
  };
}

function inNetworks(list: string): (address: string) => boolean {
  const networks = new BlockList();
  for (const entry of list.split(',')) {
    const [address = '', length] = entry.trim().split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (length === undefined) networks.addAddress(address, family);
    else networks.addSubnet(address, Number(length), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    return isIP(plain) !== 0 && networks.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
  };
}
