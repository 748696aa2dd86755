import type { Page } from 'playwright-core';
import type { Credentials } from './session.ts';

/** Fills in and submits the sign-in form. */
export async function signIn(page: Page, credentials: Credentials): Promise<void> {
  for (const [field, value] of Object.entries(credentials)) {
    const { kind, label } = fields[field as keyof typeof fields];
    await page.getByRole('radio', { name: kind }).check({ force: true });
    await page.getByLabel(label).fill(value);
  }
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const fields = {
  email: { kind: 'Customer', label: 'E-mail' },
  password: { kind: 'Customer', label: 'Password' },
  api_key: { kind: 'Partner', label: 'API key' },
  admin_token: { kind: 'Operator', label: 'Admin token' },
};
