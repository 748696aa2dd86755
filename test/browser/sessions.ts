import { describe, expect, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { panel, pathOf, rowWith, titled } from './support/looking.ts';
import { isSession, signInByApi } from './support/session.ts';
import { signIn } from './support/sign-in-form.ts';
import type { World } from './support/world.ts';

interface ListedSession {
  readonly session_id: number;
  readonly name: string;
}

export function describeSessions(world: () => World): void {
  describe('a signed-in user', { concurrent: true }, () => {
    test('of a customer sees its own audiences and no others', async () => {
      const { shop } = world();
      const segment = `/v1/console/segments/${shop.readers.default_warehouse_segment_id}`;
      const audience = `/v2/firstparty/audience/${shop.readers.audience_id}`;
      await using tab = await world().openConsole({
        as: shop.harbor.user,
        refusals: [`404 ${segment}`, `404 ${audience}`, `404 ${audience}/errors`],
      });
      const { page } = tab;
      await tab.open('/console');
      await rowWith(page, 'Summer sale').waitFor();
      expect(await page.getByText('Readers of spring').count()).toBe(0);
      await page.getByRole('link', { name: 'Summer sale', exact: true }).click();
      await page.getByText('Loaded by Acme Media').waitFor();
      await rowWith(page, 'summer/visits.csv').waitFor();
      // Only partners can change audiences.
      for (const name of ['Clear', 'Append files', 'New audience']) {
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      }

      await tab.follow(`/console/segments/${shop.readers.default_warehouse_segment_id}`);
      await titled(page, 'Audience not found');
      expect(await page.getByText(/segment/i).count()).toBe(0);
      await page.getByRole('link', { name: 'All audiences' }).click();
      await titled(page, 'Audiences');
      await tab.follow(`/console/audiences/${shop.readers.audience_id}`);
      const alert = page.getByRole('alert').filter({ hasText: /not found|no such/i });
      await alert.waitFor();
      expect(await page.getByText('Readers of spring').count()).toBe(0);
      await tab.follow('/console/nowhere');
      await titled(page, 'Not found');
      await tab.follow('/console/operator/partners');
      await titled(page, 'No access');
      await page.getByRole('link', { name: 'Go to your home page' }).click();
      await titled(page, 'Audiences');
    });

    test('signs out, and the old cookie is worthless', async () => {
      const { harbor } = world().shop;
      await using tab = await world().openConsole({ as: harbor.user });
      await tab.open('/console/audiences');
      await rowWith(tab.page, 'Summer sale').waitFor();
      const kept = await tab.context.cookies();
      await tab.page.getByRole('button', { name: harbor.user.email }).click();
      await tab.page.getByRole('button', { name: 'Sign out' }).click();
      await titled(tab.page, 'Sign in');
      expect(await tab.context.cookies()).toEqual([]);
      await tab.page.goBack();
      await titled(tab.page, 'Sign in');
      expect(await tab.page.getByText('Summer sale').count()).toBe(0);

      // A copy of the cookie does not work either.
      await tab.context.addCookies(kept);
      await tab.open('/console/audiences');
      await titled(tab.page, 'Sign in');
    });

    test('signs in again on the same page after the session was revoked', async () => {
      const { customers, operator } = world();
      const { user } = await customers.create('Revoked');
      await using tab = await world().openConsole({
        as: user,
        refusals: ['401 /v1/console/sessions'],
      });
      await tab.open('/console/audiences');
      await tab.page.getByText('No audiences yet').waitFor();
      const listed = await (await operator.call('GET', '/admin/v1/sessions')).json();
      const [own] = (listed as ListedSession[]).filter(({ name }) => name === user.email);
      await operator.call('DELETE', `/admin/v1/sessions/${own?.session_id}`);
      await tab.page.getByRole('button', { name: user.email }).click();
      await tab.page.getByRole('link', { name: 'Account' }).click();
      await titled(tab.page, 'Sign in');
      await signIn(tab.page, user);
      await titled(tab.page, 'Account');
      expect(pathOf(tab.page)).toBe('/console/account');
    });

    test('ends one or all other sessions, and changes the password', async () => {
      const { user } = await world().customers.create('Two Places');
      const elsewhere = await signInByApi(world().url, user);
      const third = await signInByApi(world().url, user);
      await using tab = await world().openConsole({
        as: user,
        refusals: ['400 /v1/console/password'],
      });
      await tab.open('/console/account');
      const sessions = panel(tab.page, 'Where you are signed in').getByRole('row');
      await sessions.nth(3).waitFor();
      expect(await sessions.count()).toBe(4);
      await sessions
        .getByRole('button', { name: /^End the session/ })
        .first()
        .click();
      await tab.page.getByRole('button', { name: 'End session', exact: true }).click();
      await eventually(async () => expect(await sessions.count()).toBe(3));
      await tab.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
      await tab.page.getByRole('button', { name: 'Sign out elsewhere' }).click();
      await eventually(async () => expect(await sessions.count()).toBe(2));
      for (const { cookie } of [elsewhere, third]) {
        expect(await isSession(world().url, cookie)).toBe(false);
      }

      const change = async (current: string) => {
        await tab.page.getByLabel('Current password').fill(current);
        await tab.page.getByLabel('New password', { exact: true }).fill('a brand new sentence');
        await tab.page.getByLabel('New password again').fill('a brand new sentence');
        await tab.page.getByRole('button', { name: 'Change password' }).click();
      };
      await change('not the current one');
      await tab.page.getByText('Incorrect password.').waitFor();
      await change(user.password);
      await tab.page.getByText('Password changed. You are signed out everywhere else').waitFor();
      await expect(signInByApi(world().url, user)).rejects.toThrow('status 401');
      await signInByApi(world().url, { ...user, password: 'a brand new sentence' });
    });
  });
}
