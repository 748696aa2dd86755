import type { FastifyBaseLogger } from 'fastify';
import type { NewLink } from '../../records/access/password-links.ts';
import type { User } from '../../records/access/users.ts';
import type { Records } from '../../records/records.ts';
import { linkMail, type SendMail } from './link-mail.ts';

export interface LinkDependencies {
  readonly records: Records;
  readonly publicUrl: string;
  readonly brandName: string;
  /** Null: no mail server is set up. */
  readonly sendMail: SendMail | null;
}

/** What became of the e-mail with a link. */
interface SentLink {
  /** Null if it was sent by e-mail: nobody else needs it then. */
  readonly url: string | null;
  /** Why the e-mail was not sent. Null if it was, or if no mail server is set up. */
  readonly mailProblem: string | null;
}

/** Sends a new link to its user by e-mail if that is possible. */
export async function sendLink(
  { publicUrl, brandName, sendMail }: LinkDependencies,
  { userId, email }: User,
  { token, purpose, expiresAt }: NewLink,
  log: FastifyBaseLogger,
): Promise<SentLink> {
  // In the fragment, which browsers do not send: no server or proxy logs it.
  const url = `${publicUrl}/console/password#${token}`;
  if (!sendMail) return { url, mailProblem: null };
  try {
    await sendMail(linkMail({ purpose, to: email, brandName, url, expiresAt }));
    return { url: null, mailProblem: null };
  } catch (err) {
    log.warn({ err, user_id: userId }, 'mail not sent');
    return { url, mailProblem: (err as Error).message };
  }
}
