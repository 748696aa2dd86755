import { BlockList, isIP } from 'node:net';
import type { WebhookTargets } from '../domain/webhooks/targets.ts';

/** Networks that are not part of the public internet, or that reach others through a translation. */
const refused = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Also the metadata services of clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  // 6to4 relays.
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved and broadcast.
  ['224.0.0.0', 3],
] as const) {
  refused.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  // Protocol assignments, among them Teredo and ORCHID.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4.
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const) {
  refused.addSubnet(network, bits, 'ipv6');
}

/** Global unicast. Everything else is local, multicast, mapped or translated (NAT64), or unassigned. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refused.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return globalUnicast.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

/** Returns what is wrong with the address of a webhook, or undefined. */
export function webhookUrlFault(address: string, targets: WebhookTargets): string | undefined {
  const url = URL.parse(address);
  if (!url) return 'must be an absolute URL';
  const protocols = targets === 'any' ? ['https:', 'http:'] : ['https:'];
  if (!protocols.includes(url.protocol)) {
    return `must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  }
  if (address.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password';
  if (url.port === '0') return 'must not have port 0';
  const host = hostOf(url);
  if (targets === 'public' && isIP(host) !== 0 && !isPublicAddress(host)) {
    return 'must not be an address of a private or reserved network';
  }
  return undefined;
}

/** The name or the address of the host, an IPv6 address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
