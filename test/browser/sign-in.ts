import { describe, expect, test } from 'vitest';
import { pathOf, textOf, titled } from './support/looking.ts';
import { signInByApi } from './support/session.ts';
import { signIn } from './support/sign-in-form.ts';
import type { World } from './support/world.ts';

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
  });
}
