import { S3ServiceException } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { StorageFault } from '../port.ts';
import { translateS3Error } from './s3-faults.ts';

const options = {
  bucket: 'devices',
  region: 'eu-west-1',
  endpoint: null,
  credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  pathStyle: false,
  checksums: 'when_supported',
} as const;

function translated(name: string, status: number, more: Record<string, unknown> = {}): Error {
  const error = new S3ServiceException({
    name,
    $fault: 'client',
    $metadata: { httpStatusCode: status },
  });
  return translateS3Error(Object.assign(error, more), options) as Error;
}

const hostile = ['Bad\u001b[2J\r\nname', '\u202ederever', '<b>x</b>', 'x'.repeat(65), '', 'a b'];

test.each(hostile)('the code of a store is shown only if it is plain: %j', (code) => {
  expect(translated(code, 403).message).toContain('refused the credentials (unknown error code).');
  expect(translated(code, 503).message).toBe(
    'The bucket devices is unavailable: 503 unknown error code.',
  );
});

test('a plain code is shown', () => {
  expect(translated('AccessDenied', 403).message).toContain('(AccessDenied)');
  expect(translated('SlowDown', 503).message).toContain('503 SlowDown');
});

test('a wrong clock does not count as wrong credentials', () => {
  expect(translated('RequestTimeTooSkewed', 403).message).toBe(
    'The bucket devices is unavailable: 403 RequestTimeTooSkewed.',
  );
});

test.each(hostile)('the region of a store is shown only if it is plain: %j', (Region) => {
  const fault = translated('PermanentRedirect', 301, { Region });
  expect(fault).toBeInstanceOf(StorageFault);
  expect(fault.message).toBe('The bucket devices is not in the region eu-west-1.');
});

test('a plain region is shown', () => {
  const fault = translated('PermanentRedirect', 301, { Region: 'us-east-2' });
  expect(fault.message).toContain('but in us-east-2.');
});
