import { expect, test } from 'vitest';
import { linkMail } from './link-mail.ts';

const link = {
  to: 'ada@harbor.example',
  brandName: 'Northwind Insights',
  url: 'https://console.example/console/password#trib_link_x',
  expiresAt: new Date('2026-11-24T09:30:12Z'),
};

test('an invitation says who it is for, what to do and until when', () => {
  expect(linkMail({ ...link, purpose: 'invitation' })).toEqual({
    to: 'ada@harbor.example',
    subject: 'Your account at Northwind Insights',
    text: `You have an account at Northwind Insights. Your user name is ada@harbor.example. Open this link to choose a password:

https://console.example/console/password#trib_link_x

The link works once, until 2026-11-24 09:30 UTC.

If you did not expect this e-mail, ignore it.
`,
  });
});

test('a reset says that nothing changes if it is ignored', () => {
  const { subject, text } = linkMail({ ...link, purpose: 'reset' });
  expect(subject).toBe('Choose a new password for Northwind Insights');
  expect(text).toContain('Your password stays the same.');
});
