import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * Tells the browser that began an authorization from all others. Without it somebody could begin one,
 * have another person allow it by a link, and go on with what that person allowed.
 */
export interface BrowserMark {
  /** Marks the browser, if it is not marked yet: a hash of the mark, to be kept. */
  put(ctx: KoaContextWithOIDC): string;
  isSame(request: FastifyRequest, kept: unknown): boolean;
}

export function createBrowserMark(publicUrl: string): BrowserMark {
  const secure = publicUrl.startsWith('https:');
  // A cookie with this prefix can be set by nobody but this very host, over TLS.
  const name = secure ? '__Host-tributary-browser' : 'tributary-browser';
  // Lax, for the way here leads from another site.
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

    isSame(request, kept) {
      const expected = Buffer.from(typeof kept === 'string' ? kept : '');
      const presented = Buffer.from(hash(request.cookies[name] ?? ''));
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    },
  };
}

function hash(mark: string): string {
  return createHash('sha256').update(mark).digest('base64url');
}
