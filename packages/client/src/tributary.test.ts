import { afterEach, expect, test, vi } from 'vitest';
import { createTributary, pauseMsAfter } from './tributary.ts';

afterEach(() => void vi.useRealTimers());

const url = 'http://service.example';

test('the next wait begins soon, and later if the service did not wait', () => {
  const waited = new Response('', { headers: { 'preference-applied': 'wait=30' } });
  expect(pauseMsAfter(waited)).toBe(500);
  const pauses = Array.from({ length: 50 }, () => pauseMsAfter(new Response('')));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(2_500);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(7_500);
  expect(new Set(pauses).size).toBeGreaterThan(40);
});

test('a service that does not wait is not asked again at once', async () => {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    return Response.json({ status: 1 });
  };
  const tributary = createTributary({ url, apiKey: 'key', fetch });
  const signal = AbortSignal.timeout(1_500);
  await expect(tributary.waitForImport(1, { signal })).rejects.toThrow();
  expect(requests).toBe(1);
});

test('a timer ends attempts to reach the service, but not the upload of a part', async () => {
  const link = { url: `${url}/bucket/a.csv`, file_path: 'a.csv', s3_path: 'a.csv' };
  const aborted: boolean[] = [];
  /** Ten minutes pass until the service or the storage responds. */
  const fetch: typeof globalThis.fetch = async (input) => {
    const { method, url: address, signal } = input as Request;
    vi.advanceTimersByTime(600_000);
    if (address.includes('partNumber') || method === 'GET') aborted.push(signal.aborted);
    if (address.endsWith('/v1/console/uploads')) return Response.json(link);
    if (address.startsWith(`${url}/v1/`)) return Response.json([]);
    return new Response('<UploadId>u</UploadId>');
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const storage = { accessKeyId: 'id', secretAccessKey: 'secret' };
  const tributary = createTributary({ url, apiKey: 'key', storage, fetch });
  await tributary.upload(new Uint8Array(8 * 1024 ** 2 + 1), 'a.csv');
  // The list of unfinished uploads and two parts.
  expect(aborted).toEqual([false, false, false]);
  await tributary.api.GET('/v1/marketplace/import');
  expect(aborted.at(-1)).toBe(true);
});
