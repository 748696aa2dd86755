import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bucketOf, type Swift, type SwiftPlace, startSwift } from './swift-server.ts';

/**
 * One Swift for all test processes, because a start takes 5 s of CPU. It starts when the first of them connects
 * to the socket, which answers each with the address.
 */
export async function offerSwift(folder: string): Promise<AsyncDisposable & { socket: string }> {
  const socket = join(folder, 'swift.sock');
  let starting: ReturnType<typeof startSwift> | undefined;
  const server = createServer(async (asking) => {
    asking.on('error', () => {});
    starting ??= startSwift();
    const answer = await starting.then(
      ({ place }) => ({ place }),
      (error: Error) => ({ error: error.message }),
    );
    asking.end(JSON.stringify(answer));
  }).listen(socket);
  await once(server, 'listening');
  return {
    socket,
    async [Symbol.asyncDispose]() {
      server.close();
      const swift = await starting?.catch(() => undefined);
      await swift?.[Symbol.asyncDispose]();
    },
  };
}

/** A bucket of the shared Swift, which the socket leads to. */
export async function sharedSwift(socket: string): Promise<Swift> {
  const answer: { place: SwiftPlace } | { error: string } = JSON.parse(await text(connect(socket)));
  if ('error' in answer) throw new Error(answer.error);
  return bucketOf(answer.place);
}
