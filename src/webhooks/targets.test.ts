import { expect, test } from 'vitest';
import { isPublicAddress, webhookUrlFault } from './targets.ts';

const refused = {
  'this network': ['0.0.0.0', '0.1.2.3'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'link-local and metadata': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
  'documentation and tests': [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '2001:db8::1',
  ],
  assignments: ['192.0.0.1', '192.88.99.1'],
  'multicast, reserved and broadcast': [
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    'ff02::1',
  ],
  unspecified: ['::'],
  'IPv4-mapped': ['::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:8.8.8.8', '::7f00:1'],
  NAT64: ['64:ff9b::a00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
  '6to4 and Teredo': ['2002:a00:1::', '2002:7f00:1::1', '2001:0:1::1'],
  'unique local': ['fc00::1', 'fd00:ec2::254'],
  'not an address': ['', 'localhost', '1.2.3', '10.1'],
};

test.each(Object.entries(refused))('%s addresses are refused', (_, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

test('public addresses are accepted', () => {
  const addresses = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111'];
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test.each([
  ['not a url', /absolute/],
  ['ftp://acme.example/', /https:\/\/$/],
  ['http://acme.example/', /https:\/\/$/],
  ['https://user:secret@acme.example/', /user/],
  ['https://acme.example/#a', /fragment/],
  ['https://acme.example:0/', /port/],
  ['https://127.0.0.1/', /private/],
  ['https://2130706433/', /private/],
  ['https://0x7f.1/', /private/],
  ['https://[::ffff:127.0.0.1]/', /private/],
  ['https://[64:ff9b::7f00:1]/', /private/],
])('the address %s has a fault', (url, fault) => {
  expect(webhookUrlFault(url, 'public')).toMatch(fault);
});

test('with any target, plain http and private addresses have none', () => {
  expect(webhookUrlFault('https://acme.example/hook?a=b', 'public')).toBeUndefined();
  expect(webhookUrlFault('http://127.0.0.1:8080/', 'any')).toBeUndefined();
  expect(webhookUrlFault('file:///etc/passwd', 'any')).toBe('must begin with https:// or http://');
});
