import type { LinkPurpose } from '../../records/access/password-links.ts';

/** An e-mail in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Throws if the mail server does not accept the mail within some seconds. */
export type SendMail = (mail: Mail) => Promise<void>;

interface LinkMail {
  readonly purpose: LinkPurpose;
  readonly to: string;
  /** The name of the service. */
  readonly brandName: string;
  readonly url: string;
  readonly expiresAt: Date;
}

/** The e-mail with a link to choose a password. */
export function linkMail({ purpose, to, brandName, url, expiresAt }: LinkMail): Mail {
  const { subject, first, last } = texts[purpose];
  const until = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const text = `${first(brandName, to)} Open this link to choose a password:

${url}

The link works once, until ${until}.

${last}
`;
  return { to, subject: subject(brandName), text };
}

const texts = {
  invitation: {
    subject: (brandName: string) => `Your account at ${brandName}`,
    first: (brandName: string, to: string) =>
      `You have an account at ${brandName}. Your user name is ${to}.`,
    last: 'If you did not expect this e-mail, ignore it.',
  },
  reset: {
    subject: (brandName: string) => `Choose a new password for ${brandName}`,
    first: (brandName: string, to: string) =>
      `A new password was requested for ${to} at ${brandName}.`,
    last: 'If you did not ask for it, ignore this e-mail. Your password stays the same.',
  },
} as const;
