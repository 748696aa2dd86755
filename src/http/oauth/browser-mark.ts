import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * Identifies the browser that began an authorization. Without it, an attacker could begin one,
 * send its link to a user who allows it, and then use that user's grant.
 */
export interface BrowserMark {
  /** Sets the cookie unless the browser has one. Returns a hash of its value, to be stored. */
  put(ctx: KoaContextWithOIDC): string;
  isSame(request: FastifyRequest, storedHash: unknown): boolean;
}

export function createBrowserMark(publicUrl: string): BrowserMark {
  const secure = publicUrl.startsWith('https:');
  // Browsers accept a cookie with this prefix only from this host, over TLS.
  const name = secure ? '__Host-tributary-browser' : 'tributary-browser';
  // Lax, because the app's site redirects the browser here.
  const options = {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    signed: false,
    priority: 'high',
  } as const;
  return {
    put(ctx) {
      const present = ctx.cookies.get(name, { signed: false });
      if (present !== undefined && /^[\w-]{43}$/.test(present)) return hash(present);
      const mark = randomBytes(32).toString('base64url');
      ctx.cookies.set(name, mark, options);
      return hash(mark);
    },

    isSame(request, storedHash) {
      const expected = Buffer.from(typeof storedHash === 'string' ? storedHash : '');
      const presented = Buffer.from(hash(request.cookies[name] ?? ''));
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    },
  };
}

function hash(mark: string): string {
  return createHash('sha256').update(mark).digest('base64url');
}
