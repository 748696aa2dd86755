import { describe, expect, it } from 'vitest';
import { maximumUploadBytes } from './upload-place.ts';
import { createUploads } from './uploads.ts';

/** A storage whose transfers the test completes. */
function createStorage() {
  const transfers = new Map<
    string,
    { end(): void; fail(why: string): void; sent(n: number): void }
  >();
  const refusals = new Map<string, string>();
  const uploads = createUploads({
    async link(path) {
      const refusal = refusals.get(path);
      if (refusal !== undefined) throw new Error(refusal);
      return { s3_path: `partner-1/${path}`, url: `https://objects/${path}` };
    },
    send: (url, _, onSent, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        transfers.set(url.slice('https://objects/'.length), {
          end: resolve,
          fail: (why) => reject(new Error(why)),
          sent: onSent,
        });
      }),
    commandFor: ({ s3_path }, { name }) => `copy ${name} ${s3_path}`,
  });
  return { uploads, transfers, refusals, states: () => uploads.list().map(({ state }) => state) };
}

function file(name: string, size = 3): File {
  const small = new File(['abc'], name);
  return size === 3 ? small : Object.defineProperty(small, 'size', { value: size });
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('uploads', () => {
  it('run two at a time, in the order in which they were added', async () => {
    const { uploads, transfers, states } = createStorage();
    uploads.add([file('a'), file('b'), file('c')], 'spring');
    await settled();
    expect(states()).toEqual(['sending', 'sending', 'waiting']);
    transfers.get('spring/b')?.end();
    await settled();
    expect(states()).toEqual(['sending', 'done', 'sending']);
    expect(uploads.list()[1]).toMatchObject({ path: 'spring/b', sentBytes: 3 });
  });

  it('report their progress to listeners', async () => {
    const { uploads, transfers } = createStorage();
    const heard: number[] = [];
    const unsubscribe = uploads.subscribe(() => heard.push(uploads.list()[0]?.sentBytes ?? -1));
    uploads.add([file('a')], '');
    await settled();
    transfers.get('a')?.sent(2);
    unsubscribe();
    transfers.get('a')?.end();
    await settled();
    expect(heard.at(-1)).toBe(2);
    expect(uploads.list()[0]?.state).toBe('done');
  });

  it('say why they failed, and can be retried', async () => {
    const { uploads, transfers, refusals } = createStorage();
    refusals.set('..', 'file_path must not have a ".." segment');
    uploads.add([file('a'), file('..')], '');
    await settled();
    transfers.get('a')?.fail('connection lost');
    await settled();
    expect(uploads.list().map(({ problem }) => problem?.text)).toEqual([
      'connection lost',
      'file_path must not have a ".." segment',
    ]);
    uploads.retry(uploads.list()[0]!.id);
    await settled();
    expect(uploads.list()[0]).toMatchObject({ state: 'sending', problem: null });
  });

  it('stop when cancelled, which starts the next one, and can be retried', async () => {
    const { uploads, transfers, states } = createStorage();
    uploads.add([file('a'), file('b'), file('c')], '');
    await settled();
    const [a] = uploads.list();
    uploads.cancel(a!.id);
    await settled();
    expect(states()).toEqual(['cancelled', 'sending', 'sending']);
    uploads.retry(a!.id);
    await settled();
    expect(states()).toEqual(['waiting', 'sending', 'sending']);
    transfers.get('b')?.end();
    await settled();
    expect(states()).toEqual(['sending', 'done', 'sending']);
  });

  it('run once if they are cancelled and retried at once', async () => {
    const { uploads, states } = createStorage();
    uploads.add([file('a'), file('b'), file('c')], '');
    const [a] = uploads.list();
    uploads.cancel(a!.id);
    uploads.retry(a!.id);
    await settled();
    expect(states().filter((state) => state === 'sending')).toHaveLength(2);
  });

  it('stop when they are removed from the list', async () => {
    const { uploads, states } = createStorage();
    uploads.add([file('a'), file('b'), file('c')], '');
    await settled();
    uploads.remove(uploads.list()[0]!.id);
    await settled();
    expect(states()).toEqual(['sending', 'sending']);
  });

  it('are refused if the file is too large, with a command that copies it', async () => {
    const { uploads, transfers } = createStorage();
    uploads.add([file('big', maximumUploadBytes + 1), file('fits', maximumUploadBytes)], 'x');
    await settled();
    expect(uploads.list()[0]).toMatchObject({
      state: 'refused',
      command: 'copy big partner-1/x/big',
    });
    expect([...transfers.keys()]).toEqual(['x/fits']);
  });

  it('are refused while the list has another one with the same path', async () => {
    const { uploads, states } = createStorage();
    uploads.add([file('a'), file('a')], '');
    uploads.add([file('a')], 'elsewhere');
    await settled();
    expect(states()).toEqual(['sending', 'refused', 'sending']);
  });

  it('are cancelled when the page is left', async () => {
    const { uploads, transfers, states } = createStorage();
    uploads.add([file('a'), file('b'), file('c')], '');
    await settled();
    transfers.get('a')?.end();
    await settled();
    uploads.stop();
    await settled();
    expect(states()).toEqual(['done', 'cancelled', 'cancelled']);
    expect(uploads.list().every(({ problem }) => problem === null)).toBe(true);
  });
});
