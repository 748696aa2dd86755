import { describe, expect, test } from 'vitest';
import { pathOf, textOf, titled } from './support/looking.ts';
import { signInByApi } from './support/session.ts';
import { signIn } from './support/sign-in-form.ts';
import type { World } from './support/world.ts';

export function describeSignIn(world: () => World): void {
  describe('signing in', { concurrent: true }, () => {
    test('brings each kind of people home, and nowhere else', async () => {
      const { url, shop, asOperator } = world();
      await using tab = await world().openConsole();
      for (const [credentials, path, heading] of [
        [shop.harbor.user, '/console/audiences', 'Audiences'],
        [{ api_key: shop.acme.apiKey }, '/console/imports', 'Imports'],
        [asOperator, '/console/operator', 'Overview'],
      ] as const) {
        await tab.context.clearCookies();
        // Where to go afterwards is nothing that an address could ask for.
        await tab.open('/console/sign-in?to=https://evil.example/&next=//evil.example/');
        await signIn(tab.page, credentials);
        await titled(tab.page, heading);
        expect(tab.page.url()).toBe(url + path);
        const [cookie] = await tab.context.cookies();
        expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
        // Nothing that a script could take away.
        expect(await tab.page.evaluate(() => document.cookie)).toBe('');
        expect(await tab.page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
      }
    });

    test('with a wrong password says so, and after too many of them how long to wait', async () => {
      const { email, password } = world().shop.harbor.user;
      await using tab = await world().openConsole({
        refusals: [/^4(01|29) \/v1\/console\/session$/],
      });
      await tab.open('/console');
      const said: string[] = [];
      for (const tried of [
        { email, password: `${password}!` },
        { email: `not-${email}`, password },
      ]) {
        await signIn(tab.page, tried);
        const alert = tab.page.getByRole('alert');
        await alert.waitFor();
        said.push(await textOf(alert));
        const field = tab.page.getByLabel('Password');
        expect(await field.getAttribute('aria-invalid')).toBe('true');
        expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
      }
      expect(said[0]).toMatch(/password is wrong/);
      // What of the two is wrong is nobody's business.
      expect(said[1]).toBe(said[0]);

      const { user } = await world().customers.create('Forgetful');
      const wrong = { ...user, password: 'not this one' };
      for (let tries = 0; tries < 5; tries++) {
        await expect(signInByApi(world().url, wrong)).rejects.toThrow('answered 401');
      }
      // Even with the right one.
      await signIn(tab.page, user);
      const note = tab.page.getByRole('status').filter({ hasText: 'That failed too often' });
      expect(await textOf(note)).toMatch(/try again in 1[45] minutes/);
      await titled(tab.page, 'Sign in');
    });

    test('after a deep link leads to that very address', async () => {
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
