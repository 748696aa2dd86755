import { createTransport } from 'nodemailer';

export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password if the server needs them. */
  readonly smtpUrl: string;
  /** The sender. */
  readonly from: { readonly name: string; readonly address: string };
}

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Timeouts of each SMTP step and of the whole delivery. Short, because a person waits for the result. */
const stepMs = 4_000;
const wholeMs = 8_000;

/** Sends mail through a server, on a new connection each time. Throws if the server does not accept it in time. */
export function createMailer({ smtpUrl, from }: MailSettings): (mail: Mail) => Promise<void> {
  const transport = createTransport({
    url: withTls(smtpUrl),
    dnsTimeout: stepMs,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    // Later than the others, whose errors say more.
    socketTimeout: stepMs + 1_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`The mail server timed out after ${wholeMs / 1_000} seconds.`)),
      wholeMs,
    );
    try {
      // As an object, the address is never parsed as a list of several.
      const recipient = { name: '', address: to };
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const sending = transport.sendMail({ from, to: recipient, subject, text, headers });
      await Promise.race([sending, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Everything is sent only after STARTTLS, because links are secrets, except to localhost or if the URL says otherwise. */
function withTls(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const isOpen = url.protocol === 'smtp:' && !isLocal;
  if (isOpen && !url.searchParams.has('requireTLS')) url.searchParams.set('requireTLS', 'true');
  return url.href;
}
