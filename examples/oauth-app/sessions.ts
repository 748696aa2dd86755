import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const maximumSessions = 1000;

/** Sessions in memory, identified by a random cookie. */
export function createSessions<Session>() {
  const sessions = new Map<string, Session>();

  return {
    of: (request: IncomingMessage): Session | undefined => sessions.get(idIn(request)),

    end: (request: IncomingMessage): void => {
      sessions.delete(idIn(request));
    },

    /** Returns the cookie to set. It is always new, so an old or planted cookie is worthless. */
    begin(session: Session): string {
      const [oldest] = sessions.keys();
      if (oldest !== undefined && sessions.size >= maximumSessions) sessions.delete(oldest);
      const id = randomBytes(32).toString('base64url');
      sessions.set(id, session);
      // Lax, because the browser returns from another site. With https add Secure and the prefix __Host-.
      return `example-session=${id}; Path=/; HttpOnly; SameSite=Lax`;
    },
  };
}

function idIn({ headers }: IncomingMessage): string {
  return /(?:^|; )example-session=([\w-]{43})(?:;|$)/.exec(headers.cookie ?? '')?.[1] ?? '';
}
