import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ObjectStore,
  type UploadLinkOwner,
  type UploadLinks,
  uploadLinkSeconds,
} from '../../src/objects/port.ts';
import { bytesOf } from '../support/blobs.ts';

export interface UploadLinksUnderTest extends AsyncDisposable {
  /** Links signed at the time of the given clock. */
  links(now: () => Date): Promise<UploadLinks>;
  readonly owner: UploadLinkOwner;
  readonly prefix: string;
  /** The same bucket, to check the uploaded objects. */
  readonly objects: ObjectStore;
}

/** Unusual but valid file names. */
const oddNames = [
  'devices.csv',
  '2026/01/devices.csv.gz',
  'a//b',
  '...',
  ' a ',
  '%2e%2e',
  '%00',
  'a?b#c&d=e+f',
  'a;b:c@d,e$f=g~h(i)j!k*l',
  'quo\'te"\\back',
  '<&>',
  'e\u0301 beside \u00e9',
  'ümlaut/😀/鍵.csv',
];

/** The behaviour that upload links of every store must have. */
export function describeUploadLinks(
  name: string,
  setup: () => Promise<UploadLinksUnderTest>,
): void {
  describe(`upload links: ${name}`, () => {
    let under: UploadLinksUnderTest;
    let links: UploadLinks;
    beforeAll(async () => {
      under = await setup();
      links = await under.links(() => new Date());
    });
    afterAll(() => under[Symbol.asyncDispose]());

    const linkTo = (path: string) => links.create(under.owner, under.prefix + path);

    async function textAt(path: string): Promise<string | undefined> {
      const version = await under.objects.stat(under.prefix + path);
      return version && String(await bytesOf(under.objects.open(version, 0)));
    }

    test.each(oddNames)('accept a file called %j', async (path) => {
      const { url } = await linkTo(path);
      const answer = await fetch(url, { method: 'PUT', body: `content of ${path}` });
      expect(`${answer.status} ${await answer.text()}`).toBe('200 ');
      expect(answer.headers.get('etag')).toMatch(/./);
      expect(await textAt(path)).toBe(`content of ${path}`);
    });

    test('accept any content type', async () => {
      const { url } = await linkTo('typed');
      const headers = { 'content-type': 'text/csv;charset=utf-8' };
      expect((await fetch(url, { method: 'PUT', body: 'typed', headers })).status).toBe(200);
      expect(await textAt('typed')).toBe('typed');
    });

    test('can be used again and replace the object', async () => {
      const { url } = await linkTo('twice');
      for (const body of ['first', 'second']) {
        expect((await fetch(url, { method: 'PUT', body })).status).toBe(200);
        expect(await textAt('twice')).toBe(body);
      }
    });

    test('point to the declared origin and expire after 15 minutes', async () => {
      const before = Date.now();
      const { url, expiresAt } = await linkTo('timed');
      expect(new URL(url).origin).toBe(links.origin);
      const seconds = (expiresAt.getTime() - before) / 1000;
      expect(seconds).toBeGreaterThan(15 * 60 - 2);
      expect(seconds).toBeLessThan(15 * 60 + 30);
      expect(expiresAt.getMilliseconds()).toBe(0);
    });

    test('are rejected for any other method', async () => {
      const { url } = await linkTo('methods');
      expect((await fetch(url, { method: 'PUT', body: 'kept' })).status).toBe(200);
      for (const method of ['GET', 'HEAD', 'DELETE']) {
        const answer = await fetch(url, { method });
        expect(`${method} ${answer.status}`).toBe(`${method} 403`);
      }
      expect(await textAt('methods')).toBe('kept');
    });

    test('are rejected for any other key and after any change', async () => {
      const { url } = await linkTo('mine');
      const changed = [
        url.replace('/mine?', '/yours?'),
        url.replace('/mine?', '/mine/more?'),
        url.replace(under.prefix, 'partner-999999/'),
        url.replace(under.prefix, ''),
        url.replace(`X-Amz-Expires=${uploadLinkSeconds}`, 'X-Amz-Expires=86400'),
        url.replace(/(X-Amz-Signature=)(.)/, (_, name, digit) => name + (digit === '0' ? 1 : 0)),
        `${url}&uploadId=1&partNumber=1`,
      ];
      for (const other of changed) {
        expect(other).not.toBe(url);
        const answer = await fetch(other, { method: 'PUT', body: 'x' });
        expect(`${answer.status} ${other}`).toBe(`403 ${other}`);
      }
      for (const path of ['mine', 'yours', 'mine/more']) expect(await textAt(path)).toBeUndefined();
    });

    test('are rejected after they have expired', async () => {
      const signedAt = Date.now() - (uploadLinkSeconds + 30) * 1000;
      const earlier = await under.links(() => new Date(signedAt));
      const { url, expiresAt } = await earlier.create(under.owner, `${under.prefix}late`);
      expect(expiresAt.getTime()).toBeLessThan(Date.now());
      expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403);
      expect(await textAt('late')).toBeUndefined();
    });
  });
}
