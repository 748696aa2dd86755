import { describe, expect, test } from 'vitest';
import { axeFindings } from './support/axe.ts';
import { eventually } from './support/eventually.ts';
import { pathOf, textOf, titled } from './support/looking.ts';
import { linkIn } from './support/mail.ts';
import { faultsOf } from './support/page-faults.ts';
import { signInByApi } from './support/session.ts';
import { signIn } from './support/sign-in-form.ts';
import { brandName, type World } from './support/world.ts';

export function describeSignIn(world: () => World): void {
  describe('signing in', { concurrent: true }, () => {
    test('leads each kind of user to its home page, and nowhere else', async () => {
      const { url, shop, asOperator } = world();
      await using tab = await world().openConsole();
      for (const [credentials, path, heading] of [
        [shop.harbor.user, '/console/audiences', 'Audiences'],
        [{ api_key: shop.acme.apiKey }, '/console/imports', 'Imports'],
        [asOperator, '/console/operator', 'Overview'],
      ] as const) {
        await tab.context.clearCookies();
        // The address cannot choose where the sign-in leads.
        await tab.open('/console/sign-in?to=https://evil.example/&next=//evil.example/');
        await signIn(tab.page, credentials);
        await titled(tab.page, heading);
        expect(tab.page.url()).toBe(url + path);
        const [cookie] = await tab.context.cookies();
        expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
        // Scripts cannot read the session.
        expect(await tab.page.evaluate(() => document.cookie)).toBe('');
        expect(await tab.page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
      }
    });

    test('reports a wrong password, and after too many attempts how long to wait', async () => {
      const { email, password } = world().shop.harbor.user;
      await using tab = await world().openConsole({
        refusals: [/^4(01|29) \/v1\/console\/session$/],
      });
      await tab.open('/console');
      const messages: string[] = [];
      for (const tried of [
        { email, password: `${password}!` },
        { email: `not-${email}`, password },
      ]) {
        await signIn(tab.page, tried);
        const alert = tab.page.getByRole('alert');
        await alert.waitFor();
        messages.push(await textOf(alert));
        const field = tab.page.getByLabel('Password');
        expect(await field.getAttribute('aria-invalid')).toBe('true');
        expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
      }
      expect(messages[0]).toBe('Incorrect e-mail or password.');
      await tab.page.getByRole('button', { name: 'Copy the request ID' }).waitFor();
      // The message does not reveal which of the two is wrong.
      expect(messages[1]).toBe(messages[0]);

      const { user } = await world().customers.create('Forgetful');
      const wrong = { ...user, password: 'not this one' };
      for (let tries = 0; tries < 5; tries++) {
        await expect(signInByApi(world().url, wrong)).rejects.toThrow('status 401');
      }
      // The correct password is refused as well.
      await signIn(tab.page, user);
      const note = tab.page.getByRole('status').filter({ hasText: 'Too many failed attempts' });
      expect(await textOf(note)).toMatch(/try again in 1[45] minutes/);
      await titled(tab.page, 'Sign in');
    });

    test('keeps the address of a deep link', async () => {
      const { shop } = world();
      const path = `/console/segments/${shop.summer.default_warehouse_segment_id}?search=topic`;
      await using tab = await world().openConsole();
      await tab.open(path);
      await titled(tab.page, 'Sign in');
      await signIn(tab.page, shop.harbor.user);
      await titled(tab.page, 'Summer sale');
      expect(pathOf(tab.page)).toBe(path);
    });

    test('sends a link to a user who forgot the password', async () => {
      const { customers, smtp } = world();
      const { user } = await customers.create('Forgotten');
      await signInByApi(world().url, user);
      await using tab = await world().openConsole({
        refusals: ['404 /v1/console/password-links/check'],
      });
      const { page } = tab;
      await tab.open('/console');
      await page.getByRole('button', { name: 'Forgot password?' }).click();
      await titled(page, 'Forgot password');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByLabel('E-mail').fill(user.email);
      await page.keyboard.press('Enter');
      await page.getByText('a link is on its way').waitFor();
      await eventually(async () => expect(linkIn(smtp, user.email)).toContain('#trib_link_'));
      expect(smtp.mails.at(-1)?.text).toContain('Your password stays the same.');
      await page.goto(linkIn(smtp, user.email));
      await titled(page, 'Choose a password');
      expect(page.url()).not.toContain('#');
      await page.getByLabel('New password', { exact: true }).fill('I will remember this');
      await page.getByLabel('New password again').fill('I will remember this');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Set the password' }).click();
      await titled(page, 'Password set');
      await expect(signInByApi(world().url, user)).rejects.toThrow('status 401');
      // In the same tab, which loads no new page.
      await page.goto(linkIn(smtp, user.email));
      await page.getByText('invalid, expired or already used').waitFor();
      await page.reload();
      await page.getByText('Open the link again').waitFor();
    });

    test('shows the brand, and the chosen theme from the first paint', async () => {
      const { url, shop } = world();
      const browsing = { colorScheme: 'light' } as const;
      await using tab = await world().openConsole({ as: shop.harbor.user, browsing });
      const { page } = tab;
      await tab.open('/console/audiences');
      await titled(page, 'Audiences');
      expect(await page.title()).toBe(`Audiences · ${brandName}`);
      const logo = page.locator('.wordmark img');
      expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(
        0,
      );
      const opened = await fetch(url + (await logo.getAttribute('src')));
      expect(opened.headers.get('content-type')).toBe('image/svg+xml');
      expect(opened.headers.get('content-security-policy')).toContain('sandbox');

      const ground = () =>
        page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await ground();
      const choose = async (theme: string) => {
        await page.getByRole('button', { name: shop.harbor.user.email }).click();
        await page.getByRole('radio', { name: theme }).check({ force: true });
      };
      await choose('Dark');
      const dark = await ground();
      expect(dark).not.toBe(light);
      expect(await axeFindings(page)).toEqual([]);
      // The document itself has the theme, before any script runs.
      const html = await (await page.reload())?.text();
      expect(html).toContain('<html lang="en" data-theme="dark">');
      await titled(page, 'Audiences');
      expect(await ground()).toBe(dark);
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('h1').evaluate((h) => getComputedStyle(h).color)).toBe(
        'rgb(26, 34, 45)',
      );
      await page.emulateMedia({ media: 'screen' });
      await choose('System');
      expect(await ground()).toBe(light);
      expect(await page.evaluate(() => document.cookie)).toBe('');
    });
  });
}
