import { expect, test } from 'vitest';
import { importBody, nextRun, plainRequest } from './import-body.ts';

test('credentials are sent only for the own bucket, and compression only if it was chosen', () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 's', region: 'us-east-1' };
  const { compressed: _, ...body } = plainRequest;
  expect(importBody(plainRequest, credentials)).toEqual(body);
  const own = { ...plainRequest, path_type: 1, compressed: false } as const;
  expect(importBody(own, credentials)).toEqual({
    ...body,
    path_type: 1,
    compressed: false,
    credentials,
  });
});

test('a dry run can be applied, and a failed import or dry run can run again', () => {
  const [done, failed, running] = [2, 3, 1];
  const [real, deletion, dryRun] = [0, 1, 2];
  expect(nextRun({ status: done, log_type: dryRun })).toBe('import');
  expect(nextRun({ status: failed, log_type: dryRun })).toBe('again');
  expect(nextRun({ status: failed, log_type: real })).toBe('again');
  expect(nextRun({ status: done, log_type: real })).toBeUndefined();
  expect(nextRun({ status: failed, log_type: deletion })).toBeUndefined();
  expect(nextRun({ status: running, log_type: dryRun })).toBeUndefined();
});
