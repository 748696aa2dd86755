import type { FastifyBaseLogger } from 'fastify';
import type { LinkPurpose } from '../../records/access/password-links.ts';
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

/** A new link, and what became of its e-mail. */
export interface IssuedLink {
  readonly purpose: LinkPurpose;
  readonly expiresAt: Date;
  /** Null if it was sent by e-mail: nobody else needs it then. */
  readonly url: string | null;
  /** Why the e-mail was not sent. Null if it was, or if no mail server is set up. */
  readonly mailProblem: string | null;
}

/** Issues a link with which the user chooses a password, and sends it by e-mail if that is possible. */
export async function issueLink(
  { records, publicUrl, brandName, sendMail }: LinkDependencies,
  { userId, email, lastSignInAt }: User,
  log: FastifyBaseLogger,
): Promise<IssuedLink> {
  const purpose = lastSignInAt === null ? 'invitation' : 'reset';
  const { token, expiresAt } = await records.passwordLinks.create(userId, purpose);
  // In the fragment, which browsers do not send: no server or proxy logs it.
  const url = `${publicUrl}/console/password#${token}`;
  if (!sendMail) return { purpose, expiresAt, url, mailProblem: null };
  try {
    await sendMail(linkMail({ purpose, to: email, brandName, url, expiresAt }));
    return { purpose, expiresAt, url: null, mailProblem: null };
  } catch (err) {
    log.warn({ err, user_id: userId }, 'mail not sent');
    return { purpose, expiresAt, url, mailProblem: (err as Error).message };
  }
}
