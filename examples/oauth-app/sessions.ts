import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const mostSessions = 1000;

/** What is known of each browser, in memory, by a random cookie. */
export function createSessions<Session>() {
  const sessions = new Map<string, Session>();

  return {
    of: (request: IncomingMessage): Session | undefined => sessions.get(idIn(request)),

    end: (request: IncomingMessage): void => {
      sessions.delete(idIn(request));
    },

    /** The cookie to set: a new one each time, which nobody can know who knew or planted the last. */
    begin(session: Session): string {
      const [oldest] = sessions.keys();
      if (oldest !== undefined && sessions.size >= mostSessions) sessions.delete(oldest);
      const id = randomBytes(32).toString('base64url');
      sessions.set(id, session);
      // Lax, for the browser comes back from another site. With https: Secure, and a name with __Host-.
      return `example-session=${id}; Path=/; HttpOnly; SameSite=Lax`;
    },
  };
}

function idIn({ headers }: IncomingMessage): string {
  return /(?:^|; )example-session=([\w-]{43})(?:;|$)/.exec(headers.cookie ?? '')?.[1] ?? '';
}
