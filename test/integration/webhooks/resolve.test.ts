import { createSocket } from 'node:dgram';
import { expect, test } from 'vitest';
import { createDnsResolve } from '../../../src/webhooks/resolve.ts';

/** A name server. `answer` returns the answer's address for the type of a query (1: A, 28: AAAA), or no bytes. */
async function nameServer(answer: (type: number) => number[] | undefined) {
  const asked: number[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    // The question ends with the empty label, its type and its class.
    const end = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(end - 4);
    asked.push(type);
    const bytes = answer(type);
    if (!bytes) return;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0]);
    const found = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]);
    header[7] = bytes.length > 0 ? 1 : 0;
    const parts = [header, query.subarray(12, end), ...(bytes.length > 0 ? [found] : [])];
    socket.send(Buffer.concat(parts), port, address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  return {
    asked,
    server: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => socket.close(() => closed())),
  };
}

test('finds the addresses of both families, or of the one that has any', async () => {
  const six = [0x26, 0x06, ...Array(13).fill(0), 1];
  const { signal } = new AbortController();
  await using both = await nameServer((type) => (type === 1 ? [93, 184, 215, 14] : six));
  expect(await createDnsResolve([both.server])('acme.example', signal)).toEqual([
    { address: '93.184.215.14', family: 4 },
    { address: '2606::1', family: 6 },
  ]);
  await using one = await nameServer((type) => (type === 1 ? [] : six));
  expect(await createDnsResolve([one.server])('acme.example', signal)).toEqual([
    { address: '2606::1', family: 6 },
  ]);
  await using none = await nameServer(() => []);
  await expect(createDnsResolve([none.server])('acme.example', signal)).rejects.toThrow('ENODATA');
});

test('a lookup without an answer is cancelled with the attempt', async () => {
  await using silent = await nameServer(() => undefined);
  const stop = new AbortController();
  const lookup = createDnsResolve([silent.server])('acme.example', stop.signal);
  const refused = expect(lookup).rejects.toThrow('ECANCELLED');
  stop.abort();
  await refused;
});
