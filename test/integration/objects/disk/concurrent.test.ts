import { afterEach, beforeEach, expect, test } from 'vitest';
import { VersionGone } from '../../../../src/objects/port.ts';
import { bytesOf } from '../../../support/blobs.ts';
import {
  content,
  type FreshDiskStore,
  freshDiskStore,
  plainHeaders,
  putParts,
} from '../../../support/disk-store.ts';

const rounds = process.env.TRIBUTARY_SOAK === '1' ? 50 : 5;

let store: FreshDiskStore;
beforeEach(async () => {
  store = await freshDiskStore();
});
afterEach(() => store[Symbol.asyncDispose]());

/** Every file belongs to a known blob, and every known blob has a file. */
async function expectNoBlobLostOrLeft(): Promise<void> {
  const files = (await store.files()).map((file) => file.slice(-32)).sort();
  expect(files).toEqual(await store.knownBlobs());
}

async function putJoined(key: string, texts: readonly string[]): Promise<void> {
  const uploadId = await store.objects.beginUpload(key, plainHeaders);
  const listed = await putParts(store.objects, uploadId, texts);
  await store.objects.completeUpload(uploadId, listed);
}

test('of concurrent puts of one key, one wins and the blobs of the others are removed', async () => {
  for (let round = 0; round < rounds; round++) {
    const key = `contended-${round}`;
    const texts = Array.from({ length: 8 }, (_, n) => `${n}`);
    await Promise.all(texts.map((text) => store.objects.put(key, content(text))));
    expect(texts).toContain(await store.textAt(key));
    expect(await store.files()).toHaveLength(round + 1);
  }
  await expectNoBlobLostOrLeft();
});

test('concurrent puts, completes, copies and deletes of one key leave a complete object or none', async () => {
  const source = await store.objects.put('source', content('copied'));
  for (let round = 0; round < rounds; round++) {
    await Promise.all([
      store.objects.put('x', content('put')),
      putJoined('x', ['com', 'ple', 'ted']),
      store.objects.delete(['x', 'y']),
      putJoined('x', ['joined']),
      store.objects.copy(source, 'x'),
      store.objects.delete(['y', 'x']),
      store.objects.put('y', content('y')),
      store.objects.copy(source, 'y'),
    ]);
    expect([undefined, 'put', 'completed', 'joined', 'copied']).toContain(await store.textAt('x'));
    expect([undefined, 'y', 'copied']).toContain(await store.textAt('y'));
    await expectNoBlobLostOrLeft();
  }
});

test('with concurrent parts of one number, completes and aborts, an upload ends exactly once', async () => {
  for (let round = 0; round < rounds; round++) {
    const key = `upload-${round}`;
    const uploadId = await store.objects.beginUpload(key, plainHeaders);
    const listed = await putParts(store.objects, uploadId, ['same', 'same']);
    const [completed, again, aborted] = await Promise.all([
      store.objects.completeUpload(uploadId, listed),
      store.objects.completeUpload(uploadId, listed),
      store.objects.abortUpload(uploadId),
      ...Array.from({ length: 4 }, () => store.objects.putPart(uploadId, 2, content('same'))),
      store.objects.putPart(uploadId, 3, content('not listed')),
    ]);
    const ends = [typeof completed === 'object', typeof again === 'object', aborted];
    expect(ends.filter((end) => end)).toHaveLength(1);
    expect(await store.textAt(key)).toBe(aborted ? undefined : 'samesame');
    expect(await store.objects.findUpload(uploadId)).toBeUndefined();
    await expectNoBlobLostOrLeft();
  }
});

test('readers of a key that is constantly replaced get one complete version, or VersionGone', async () => {
  const texts = ['a', 'b'].map((letter) => letter.repeat(300));
  const parts = (text: string) => [text.slice(0, 100), text.slice(100, 200), text.slice(200)];
  await putJoined('x', parts(texts[0]!));
  let isOver = false;
  async function replace() {
    for (let n = 0; n < rounds * 8; n++) {
      const text = texts[n % 2]!;
      await (n % 3 === 0 ? store.objects.put('x', content(text)) : putJoined('x', parts(text)));
    }
    isOver = true;
  }
  async function read() {
    let whole = 0;
    while (!isOver) {
      const version = await store.objects.stat('x');
      try {
        expect(texts).toContain(String(await bytesOf(store.objects.open(version!, 0))));
        whole += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(VersionGone);
      }
    }
    return whole;
  }
  const [whole] = await Promise.all([read(), read(), replace()]);
  expect(whole).toBeGreaterThan(0);
  await expectNoBlobLostOrLeft();
});
