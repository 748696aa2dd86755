import { expect, test } from 'vitest';
import { createMailer } from '../../../src/mail/mailer.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';

const from = { name: 'Northwind "N" Insights', address: 'tributary@console.example' };
const mail = {
  to: 'ada@harbor.example',
  subject: 'Your account',
  text: `Öffnen:\n\nhttps://console.example/console/password#${'x'.repeat(90)}\n.\n`,
};

test('a mail server gets the mail, and the user and password of the URL', async () => {
  await using server = await startSmtpServer();
  const smtpUrl = `smtp://sender:s%3Acret@127.0.0.1:${server.port}`;
  await createMailer({ smtpUrl, from })(mail);
  const [{ from: sender, to, headers, text } = { from: '', to: '', headers: '', text: '' }] =
    server.mails;
  expect([sender, to]).toEqual([from.address, mail.to]);
  expect(headers).toMatch(/^Subject: Your account$/m);
  expect(headers).toMatch(/^From: "Northwind \\"N\\" Insights" <tributary@console\.example>$/m);
  expect(headers).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(`${text}\n`).toBe(mail.text);
  const [, credentials = ''] = /^AUTH PLAIN (.*)$/m.exec(server.lines.join('\n')) ?? [];
  expect(Buffer.from(credentials, 'base64').toString()).toBe('\0sender\0s:cret');
});

test('an address is one recipient, whatever it contains', async () => {
  await using server = await startSmtpServer();
  const send = createMailer({ smtpUrl: `smtp://127.0.0.1:${server.port}`, from });
  await send({ ...mail, to: 'ada@harbor.example,eve' }).catch(() => {});
  expect(server.lines.filter((line) => line.startsWith('RCPT')).length).toBeLessThan(2);
});

test('nothing is sent to another machine without TLS, unless the URL says so', async () => {
  await using server = await startSmtpServer();
  for (const user of ['', 'sender:secret@']) {
    // Leads to this machine, but does not say so.
    const smtpUrl = `smtp://${user}0.0.0.0:${server.port}`;
    await expect(createMailer({ smtpUrl, from })(mail)).rejects.toThrow();
    expect(server.lines.join()).not.toMatch(/AUTH|MAIL/);
  }
  const smtpUrl = `smtp://0.0.0.0:${server.port}?requireTLS=false`;
  await createMailer({ smtpUrl, from })(mail);
  expect(server.mails).toHaveLength(1);
});

test('a refusal, a silent server and no server are errors, soon', async () => {
  await using server = await startSmtpServer();
  const send = createMailer({ smtpUrl: `smtp://127.0.0.1:${server.port}`, from });
  await expect(send({ ...mail, to: 'refused@harbor.example' })).rejects.toThrow(/no such mailbox/);
  await using silent = await startSmtpServer({ isSilent: true });
  const unheard = createMailer({ smtpUrl: `smtp://127.0.0.1:${silent.port}`, from });
  await expect(unheard(mail)).rejects.toThrow(/[Gg]reeting/);
  const nowhere = createMailer({ smtpUrl: 'smtp://127.0.0.1:1', from });
  await expect(nowhere(mail)).rejects.toThrow(/ECONNREFUSED/);
});
