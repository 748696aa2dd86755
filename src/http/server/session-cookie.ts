import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The cookie that carries a console session. */
export interface SessionCookie {
  readonly name: string;
  read(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, token: string): void;
  clear(reply: FastifyReply): void;
}

export function createSessionCookie(publicUrl: string): SessionCookie {
  const secure = publicUrl.startsWith('https:');
  // Browsers accept a cookie with this prefix only from this host, over TLS.
  const name = secure ? '__Host-tributary-session' : 'tributary-session';
  // Strict does not break links from other sites: the page they open contains no data, and its own
  // requests come from the same site.
  const options = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
  // Browsers limit the cookies per host. With high priority, a flood of authorizations cannot evict
  // the session and sign the user out.
  const priority = 'high';
  return {
    name,
    read: (request) => request.cookies[name],
    set: (reply, token) => reply.setCookie(name, token, { ...options, priority }),
    clear: (reply) => reply.clearCookie(name, options),
  };
}

/**
 * The page must send this token with every change. Another site cannot read it, even one on another
 * port of this host, which the browser treats as the same site.
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('csrf').digest('base64url');
}

export function isCsrfToken(presented: unknown, sessionToken: string): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionToken));
  const given = Buffer.from(typeof presented === 'string' ? presented : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
