import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { setBodyDeadline } from './body-deadline.ts';

test('an incomplete body closes the connection, and a late response to a complete body is sent', async () => {
  const server = createServer(async (request, response) => {
    setBodyDeadline(request, 200);
    const body = await text(request).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    response.end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const send = (body: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 3\r\n\r\n${body}`,
    );
    return text(socket).catch(() => '');
  };
  expect(await send('abc')).toMatch(/^HTTP\/1.1 200.*abc$/s);
  expect(await send('a')).toBe('');
  server.close();
});
