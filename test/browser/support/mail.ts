import type { SmtpServer } from '../../support/smtp-server.ts';

/** The link in the last mail to this address. */
export function linkIn({ mails }: SmtpServer, email: string): string {
  const text = mails.findLast(({ to }) => to === email)?.text ?? '';
  const [link] = /http\S+\/console\/password#\S+/.exec(text) ?? [];
  if (link === undefined) throw new Error(`no link was sent to ${email}`);
  return link;
}
