import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ObjectStore, type ObjectVersion, VersionGone } from '../../src/objects/port.ts';
import { bytesOf } from '../support/blobs.ts';

export interface ObjectStoreUnderTest extends AsyncDisposable {
  readonly objects: ObjectStore;
  /** Creates many empty objects faster than one put each, if the store can. */
  readonly fill?: (keys: readonly string[]) => Promise<void>;
}

export interface ObjectStoreCapabilities {
  /** Odd keys that the server of this store rejects. */
  readonly refusedKeys?: readonly (typeof oddKeys)[number][];
}

/** Unusual keys below a prefix that every S3 server should accept. */
const oddKeys = [
  '.',
  '..',
  '../../etc/passwd',
  'a/../b',
  'a/./b',
  '/',
  '//',
  'a//b',
  '/a',
  ' ',
  ' a ',
  'folder/',
  '%2e%2e',
  '%00',
  'a?b#c&d=e+f',
  'a;b:c@d,e$f=g~h(i)j!k*l',
  'quo\'te"\\back',
  '<&>',
  '\n\t\u0001\u007f',
  'e\u0301 beside \u00e9',
  'ümlaut/😀/鍵',
  '\uffff\u{10ffff}',
] as const;

/** The behaviour that every store behind the port must have. */
export function describeObjectStore(
  name: string,
  setup: () => Promise<ObjectStoreUnderTest>,
  { refusedKeys = [] }: ObjectStoreCapabilities = {},
): void {
  describe(`object store: ${name}`, () => {
    let under: ObjectStoreUnderTest;
    let objects: ObjectStore;
    let folders = 0;
    beforeAll(async () => {
      under = await setup();
      objects = under.objects;
    });
    afterAll(() => under[Symbol.asyncDispose]());

    /** A new prefix for each test. */
    const ownPrefix = () => `contract-${++folders}/`;

    async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
      for (const part of parts) yield Buffer.from(part);
    }

    const put = (key: string, content: string | Uint8Array) => objects.put(key, chunks(content));

    async function fill(keys: readonly string[]): Promise<void> {
      if (under.fill) return under.fill(keys);
      const atOnce = 50;
      for (let start = 0; start < keys.length; start += atOnce) {
        await Promise.all(keys.slice(start, start + atOnce).map((key) => put(key, '')));
      }
    }

    async function keysAt(path: string): Promise<string[]> {
      const keys: string[] = [];
      for await (const version of objects.find(path)) keys.push(version.key);
      return keys;
    }

    async function contentOf(version: ObjectVersion, offset = 0): Promise<string> {
      return (await bytesOf(objects.open(version, offset))).toString('latin1');
    }

    describe('an object', () => {
      it('exists and is complete when its put has ended', async () => {
        const key = `${ownPrefix()}devices.csv`;
        expect(await objects.stat(key)).toBeUndefined();
        const version = await put(key, 'content');
        expect(version).toMatchObject({ key, etag: expect.stringMatching(/./), size: 7 });
        expect(await objects.stat(key)).toEqual(version);
        expect(await contentOf(version)).toBe('content');
      });

      it.each([0, 1, 1_048_576, 3_000_001])(
        'has exactly the %i bytes that were put',
        async (size) => {
          const bytes = randomBytes(size);
          const parts = [bytes.subarray(0, size >> 1), Buffer.alloc(0), bytes.subarray(size >> 1)];
          const version = await objects.put(`${ownPrefix()}x`, chunks(...parts));
          expect(version.size).toBe(size);
          expect((await bytesOf(objects.open(version, 0))).equals(bytes)).toBe(true);
        },
      );

      it('can be read from any offset, including its end', async () => {
        const version = await put(`${ownPrefix()}x`, '0123456789');
        for (const offset of [0, 1, 9, 10]) {
          expect(await contentOf(version, offset)).toBe('0123456789'.slice(offset));
        }
      });

      it('has an ETag that differs for different contents', async () => {
        const prefix = ownPrefix();
        const [one, same, other] = [
          await put(`${prefix}1`, 'same'),
          await put(`${prefix}2`, 'same'),
          await put(`${prefix}3`, 'other'),
        ];
        expect(one.etag).toBe(same.etag);
        expect(one.etag).not.toBe(other.etag);
      });

      it.each(oddKeys.filter((key) => !refusedKeys.includes(key)))(
        'may have the key %j',
        async (rest) => {
          const key = ownPrefix() + rest;
          const version = await put(key, `at ${rest}`);
          expect(version.key).toBe(key);
          expect(await objects.stat(key)).toEqual(version);
          expect(await contentOf(version)).toBe(Buffer.from(`at ${rest}`).toString('latin1'));
          expect(await keysAt(key)).toEqual([key]);
        },
      );

      it('may have a key of 1,024 bytes', async () => {
        const prefix = ownPrefix();
        const key = prefix + '鍵'.repeat(300) + 'x'.repeat(1_024 - 900 - prefix.length);
        const version = await put(key, 'long');
        expect(await keysAt(key)).toEqual([key]);
        expect(await contentOf(version)).toBe('long');
      });
    });

    describe('finding', () => {
      it('yields only the object with exactly that key, even if it is also a prefix', async () => {
        const prefix = ownPrefix();
        for (const rest of ['devices', 'devices.csv', 'devices/1']) await put(prefix + rest, '');
        expect(await keysAt(`${prefix}devices`)).toEqual([`${prefix}devices`]);
      });

      it('otherwise yields all keys with that prefix, with no slash implied', async () => {
        const prefix = ownPrefix();
        for (const rest of ['dev.csv', 'dev/1.csv', 'device', 'de', 'other']) {
          await put(prefix + rest, '');
        }
        const found = ['dev.csv', 'dev/1.csv', 'device'].map((rest) => prefix + rest);
        expect(await keysAt(`${prefix}dev`)).toEqual(found);
        expect(await keysAt(`${prefix}dev/`)).toEqual([`${prefix}dev/1.csv`]);
      });

      it('yields keys in byte order', async () => {
        const prefix = ownPrefix();
        // JavaScript compares by UTF-16, in which the last two are reversed.
        const ordered = ['!', '-', '.', '/', '0', 'A', 'Z', '_', 'a', 'ä', '鍵', '\uffee', '😀'];
        for (const rest of ordered.toReversed()) await put(prefix + rest, rest);
        expect(await keysAt(prefix)).toEqual(ordered.map((rest) => prefix + rest));
      });

      it.each(['%', '_', '*', '?', '[a-z]', '\\', '.', '^'])(
        'takes %j literally, not as a pattern',
        async (sign) => {
          const prefix = ownPrefix();
          for (const rest of ['a', 'b/c', `${sign}x`]) await put(prefix + rest, '');
          expect(await keysAt(prefix + sign)).toEqual([`${prefix}${sign}x`]);
        },
      );

      it('is case-sensitive', async () => {
        const prefix = ownPrefix();
        await put(`${prefix}File`, '');
        expect(await keysAt(`${prefix}file`)).toEqual([]);
      });

      it('yields thousands of keys, each once and in order', async () => {
        const prefix = ownPrefix();
        const keys = Array.from({ length: 2_002 }, (_, n) => prefix + String(n).padStart(4, '0'));
        await fill([...keys, `${prefix.slice(0, -1)}0`]);
        expect(await keysAt(prefix)).toEqual(keys);
        expect(await keysAt(`${prefix}1`)).toEqual(keys.slice(1_000, 2_000));
      });

      it('yields nothing for an unused prefix', async () => {
        expect(await keysAt(ownPrefix())).toEqual([]);
      });

      it('yields versions that can be opened', async () => {
        const prefix = ownPrefix();
        await put(`${prefix}1`, 'one');
        await put(`${prefix}2`, 'two');
        const contents: string[] = [];
        for await (const version of objects.find(prefix)) contents.push(await contentOf(version));
        expect(contents).toEqual(['one', 'two']);
      });
    });

    describe('a version', () => {
      it('that was replaced cannot be opened, but the new one can', async () => {
        const key = `${ownPrefix()}x`;
        const old = await put(key, 'old');
        const now = await put(key, 'new content');
        await expect(contentOf(old)).rejects.toThrow(VersionGone);
        expect(await objects.stat(key)).toEqual(now);
        expect(await contentOf(now)).toBe('new content');
      });

      it('that never existed cannot be opened', async () => {
        const key = `${ownPrefix()}x`;
        await expect(contentOf({ key, etag: 'none', size: 1 })).rejects.toThrow(VersionGone);
      });

      it('stays valid if the same content is put again', async () => {
        const key = `${ownPrefix()}x`;
        const first = await put(key, 'same');
        await put(key, 'same');
        expect(await contentOf(first)).toBe('same');
      });

      it('that is replaced during a read is never mixed with the new one', async () => {
        const key = `${ownPrefix()}x`;
        const old = await put(key, 'o'.repeat(5_000_000));
        let read = '';
        let error: unknown;
        try {
          for await (const chunk of objects.open(old, 0)) {
            if (read === '') await put(key, 'n'.repeat(5_000_000));
            read += Buffer.from(chunk).toString('latin1');
          }
        } catch (thrown) {
          error = thrown;
        }
        expect(read).toMatch(/^o+$/);
        if (error === undefined) expect(read).toHaveLength(5_000_000);
        else expect(error).toBeInstanceOf(VersionGone);
      });
    });

    describe('a put', () => {
      it('that fails keeps the previous object and throws the cause', async () => {
        const key = `${ownPrefix()}x`;
        const old = await put(key, 'old');
        async function* broken() {
          yield Buffer.from('half of it');
          throw new Error('client disconnected');
        }
        await expect(objects.put(key, broken())).rejects.toThrow('client disconnected');
        expect(await objects.stat(key)).toEqual(old);
        expect(await contentOf(old)).toBe('old');
      });

      it('that fails leaves no object for a new key', async () => {
        const key = `${ownPrefix()}x`;
        // biome-ignore lint/correctness/useYield: it throws before it could yield
        async function* broken(): AsyncGenerator<Uint8Array> {
          throw new Error('client disconnected');
        }
        await expect(objects.put(key, broken())).rejects.toThrow('client disconnected');
        expect(await objects.stat(key)).toBeUndefined();
      });

      it('is not visible before it has ended', async () => {
        const key = `${ownPrefix()}x`;
        const half = Promise.withResolvers<void>();
        const rest = Promise.withResolvers<void>();
        async function* slow() {
          yield Buffer.from('first ');
          half.resolve();
          await rest.promise;
          yield Buffer.from('second');
        }
        const putting = objects.put(key, slow());
        await half.promise;
        expect(await objects.stat(key)).toBeUndefined();
        rest.resolve();
        expect(await contentOf(await putting)).toBe('first second');
      });

      it('is atomic among concurrent puts of the same key', async () => {
        const key = `${ownPrefix()}x`;
        const contents = Array.from({ length: 10 }, (_, n) => String(n).repeat(1000));
        await Promise.all(contents.map((content) => put(key, content)));
        const version = await objects.stat(key);
        expect(contents).toContain(await contentOf(version!));
      });
    });

    describe('listing uploads', () => {
      it('yields every object under the prefix in order, with the time of its upload', async () => {
        const prefix = ownPrefix();
        const before = Date.now();
        for (const rest of ['b', 'a', 'folder/']) await put(prefix + rest, rest === 'b' ? 'x' : '');
        const listed = (await Array.fromAsync(objects.uploaded(prefix))).flat();
        expect(listed).toMatchObject(
          ['a', 'b', 'folder/'].map((rest) => ({ key: prefix + rest, size: rest === 'b' ? 1 : 0 })),
        );
        for (const { modifiedAt } of listed) {
          // Some stores know only the second.
          expect(modifiedAt.getTime()).toBeGreaterThan(before - 1_000);
          expect(modifiedAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
        }
      });
    });

    describe('a folder', () => {
      it('has its objects and folders in pages, without folder markers and deeper objects', async () => {
        const prefix = ownPrefix();
        for (const rest of ['a', 'b/1', 'b/2', 'c', 'd/', 'd/e/1']) {
          await put(prefix + rest, rest === 'd/' ? '' : 'x');
        }
        const whole = await objects.folder(prefix, null, 100);
        expect(whole.folders).toEqual([`${prefix}b/`, `${prefix}d/`]);
        expect(whole.objects).toMatchObject([
          { key: `${prefix}a`, size: 1 },
          { key: `${prefix}c` },
        ]);
        expect(whole.next).toBeNull();
        expect(await objects.folder(`${prefix}d/`, null, 100)).toEqual({
          folders: [`${prefix}d/e/`],
          objects: [],
          next: null,
        });

        const found: string[] = [];
        for (let after: string | null = null, pages = 0; pages < 4; pages++) {
          const page = await objects.folder(prefix, after, 1);
          found.push(...page.folders, ...page.objects.map(({ key }) => key));
          expect(found).toHaveLength(pages + 1);
          after = page.next;
          expect(after === null).toBe(pages === 3);
        }
        expect(found).toEqual(['a', 'b/', 'c', 'd/'].map((rest) => prefix + rest));
        const marker = await objects.folder(`${prefix}d/`, null, 1);
        expect(await objects.folder(`${prefix}d/`, marker.next, 1)).toEqual({
          folders: [`${prefix}d/e/`],
          objects: [],
          next: null,
        });
        expect(await objects.folder(`${prefix}none/`, null, 10)).toEqual({
          folders: [],
          objects: [],
          next: null,
        });
      });
    });

    describe('removing versions', () => {
      it('deletes those that are still there, and no newer ones', async () => {
        const prefix = ownPrefix();
        for (const rest of ['1', '2', '3']) await put(prefix + rest, 'old');
        const listed = (await Array.fromAsync(objects.uploaded(prefix))).flat();
        const newer = await put(`${prefix}2`, 'new');
        const { signal } = new AbortController();
        await objects.removeVersions(listed.slice(2), signal);
        const removed = await objects.removeVersions(listed, signal);
        expect(removed.map(({ key }) => key)).toEqual([`${prefix}1`]);
        expect(await keysAt(prefix)).toEqual([newer.key]);
        expect(await contentOf(newer)).toBe('new');
      });

      it('keeps an object that was uploaded again with the same content', async () => {
        const key = `${ownPrefix()}x`;
        await put(key, 'same');
        const [listed] = (await Array.fromAsync(objects.uploaded(key))).flat();
        const earlier = new Date(listed!.modifiedAt.getTime() - 60_000);
        const { signal } = new AbortController();
        expect(await objects.removeVersions([{ ...listed!, modifiedAt: earlier }], signal)).toEqual(
          [],
        );
        expect(await objects.stat(key)).toBeDefined();
      });
    });

    describe('removing everything', () => {
      it('deletes each object under the prefix, and no other', async () => {
        const prefix = ownPrefix();
        const keys = oddKeys.filter((key) => !refusedKeys.includes(key)).map((key) => prefix + key);
        for (const key of keys) await put(key, 'gone');
        const neighbour = await put(`${prefix.slice(0, -1)}0`, 'kept');
        await objects.removeAll(prefix, new AbortController().signal);
        for (const key of keys) expect(await objects.stat(key)).toBeUndefined();
        expect(await objects.stat(neighbour.key)).toEqual(neighbour);
        await objects.removeAll(prefix, new AbortController().signal);
      });
    });

    it('is ready', async () => {
      await expect(objects.checkReady()).resolves.toBeUndefined();
    });
  });
}
