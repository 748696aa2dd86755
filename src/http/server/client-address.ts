import { isIP, isIPv4 } from 'node:net';
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
