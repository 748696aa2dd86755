import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { limits } from '../../domain/limits.ts';
import type { App } from '../server/app-types.ts';
import { type Body, gather } from './gather.ts';

/**
 * Adds an ETag to the responses of routes that clients poll, and answers 304 if the client has the current
 * one. A response above the limit is sent while it is produced, so it has none. The tags are weak: the
 * compressed body has the same tag.
 */
export function addEntityTags(app: App): void {
  app.addHook<Body | null>('onSend', async (request, reply, payload) => {
    const isTagged = request.routeOptions.config.isPolled && reply.statusCode === 200;
    if (!isTagged || payload === null || isEventStream(reply.getHeader('content-type'))) {
      return payload;
    }
    const body = await gather(payload, limits.taggedBytes.most);
    if (body instanceof Readable) return body;
    // A page whose link changes is another page.
    const tag = entityTag(body, String(reply.getHeader('link') ?? ''));
    reply.header('etag', tag);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache');
    if (!matches(request.headers['if-none-match'], tag)) return body;
    reply.code(304).removeHeader('content-type');
    // Fastify removes the body of a response to HEAD.
    return request.method === 'HEAD' ? body : null;
  });
}

function isEventStream(contentType: unknown): boolean {
  return String(contentType).startsWith('text/event-stream');
}

function entityTag(body: string | Buffer, link: string): string {
  const hash = createHash('sha256').update(body).update(link).digest('base64url');
  return `W/"${hash.slice(0, 27)}"`;
}

/** RFC 9110 compares the tags of If-None-Match weakly. */
function matches(header: string | undefined, tag: string): boolean {
  if (header?.trim() === '*') return true;
  const opaque = tag.slice(2);
  const tags: string[] = header?.match(/"[^"]*"/g) ?? [];
  return tags.includes(opaque);
}
