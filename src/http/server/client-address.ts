import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Even a proxy that is trusted may pass on what is no address; then it is the proxy that called. */
export function clientAddress(request: FastifyRequest): string {
  return isIP(request.ip) !== 0 ? request.ip : (request.socket.remoteAddress ?? 'unknown');
}

/**
 * Whom an address belongs to, as far as one can tell: who has one IPv6 address has the 2^64 of its
 * network.
 */
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
