import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { BrowserPage } from './browser-page.ts';
import type { Credentials } from './session.ts';
import { focused, tabTo } from './tabbing.ts';

/** Fills in and submits the sign-in form. */
export async function signIn(page: Page, credentials: Credentials): Promise<void> {
  for (const [field, value] of Object.entries(credentials)) {
    const { kind, label } = fields[field as keyof typeof fields];
    await page.getByRole('radio', { name: kind }).check({ force: true });
    await page.getByLabel(label).fill(value);
  }
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in from the first focus of the page on, with nothing but keys. */
export async function signInByKeyboard(page: BrowserPage, credentials: Credentials): Promise<void> {
  for (const [field, value] of Object.entries(credentials)) {
    const { kind, label } = fields[field as keyof typeof fields];
    if (kind !== 'Customer') await chooseKind(page, kind);
    if ((await focused(page)).name !== label) await tabTo(page, label);
    await page.keyboard.type(value);
  }
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('h1')?.textContent !== 'Sign in');
}

/** The kinds are before the form, and customers are first. */
async function chooseKind(page: BrowserPage, kind: string): Promise<void> {
  await page.keyboard.press('Shift+Tab');
  expect(await focused(page)).toEqual({ name: 'Customer', isSeen: true });
  for (let presses = 0; presses < 2 && (await focused(page)).name !== kind; presses++) {
    await page.keyboard.press('ArrowRight');
  }
}

const fields = {
  email: { kind: 'Customer', label: 'E-mail' },
  password: { kind: 'Customer', label: 'Password' },
  api_key: { kind: 'Partner', label: 'API key' },
  admin_token: { kind: 'Operator', label: 'Admin token' },
};
