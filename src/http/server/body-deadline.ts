import type { IncomingMessage } from 'node:http';
import { limits } from '../../domain/limits.ts';

/** Enough time for 1 MiB over a slow connection. */
const bodyDeadlineMs = limits.bodySeconds.most * 1000;

/**
 * Closes the connection of a client whose body has not arrived in time. Without it, an incomplete
 * body would keep the connection open forever.
 */
export function setBodyDeadline(request: IncomingMessage, deadlineMs = bodyDeadlineMs): void {
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, deadlineMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}
