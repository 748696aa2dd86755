import type { IncomingMessage } from 'node:http';

/** Long enough for a megabyte over a poor connection. */
const bodyDeadlineMs = 60_000;

/**
 * Ends the connection of a client whose body has not arrived in time: nothing else would, and
 * anybody may send what they never finish.
 */
export function setBodyDeadline(request: IncomingMessage, deadlineMs = bodyDeadlineMs): void {
  const late = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, deadlineMs);
  late.unref();
  request.once('close', () => clearTimeout(late));
}
