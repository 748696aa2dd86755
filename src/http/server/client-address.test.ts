import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createAddressReader, networkOf } from './client-address.ts';

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s belongs to %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('the network of a request to the S3 endpoint', () => {
  it.each([
    [false, '203.0.113.9', '10.0.0.1'],
    [true, '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    [true, undefined, '10.0.0.1'],
    ['10.0.0.0/8', '198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['10.0.0.1,192.0.2.0/24', '203.0.113.9, 10.1.2.3', '10.1.2.3'],
    ['10.0.0.0/8,fd00::/8', '2001:db8::7, fd00::1', '2001:db8:0:0::/64'],
    ['192.0.2.1', '203.0.113.9', '10.0.0.1'],
    [true, 'unknown', '10.0.0.1'],
    ['10.0.0.0/8', 'x', '10.0.0.1'],
  ])('behind trusted proxies %j, forwarded %j', (trustProxy, forwarded, network) => {
    const request = {
      headers: { 'x-forwarded-for': forwarded },
      socket: { remoteAddress: '::ffff:10.0.0.1' },
    } as unknown as IncomingMessage;
    expect(networkOf(createAddressReader(trustProxy)(request))).toBe(network);
  });
});
