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
  // A cookie with this prefix can be set by nobody but this very host, over TLS.
  const name = secure ? '__Host-tributary-session' : 'tributary-session';
  // Strict is no hindrance to links from elsewhere: the page they lead to has nothing of anybody's
  // in it, and what it asks for is asked by ourselves.
  const options = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
  // A browser keeps so many cookies of a host: whoever has it begin many authorizations signs nobody out.
  const priority = 'high';
  return {
    name,
    read: (request) => request.cookies[name],
    set: (reply, token) => reply.setCookie(name, token, { ...options, priority }),
    clear: (reply) => reply.clearCookie(name, options),
  };
}

/**
 * What a page must send along to change anything: another site cannot read it, even one that the
 * browser takes for the same site, as it does another port of this host.
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('csrf').digest('base64url');
}

export function isCsrfToken(presented: unknown, sessionToken: string): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionToken));
  const given = Buffer.from(typeof presented === 'string' ? presented : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
