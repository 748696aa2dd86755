import type { BrowserContext } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { panel, pathOf, rowWith, settled, textOf, titled } from './support/looking.ts';
import { faultsOf } from './support/page-faults.ts';
import { tabTo } from './support/tabbing.ts';
import type { World } from './support/world.ts';

const callback = 'https://app.delta.example/callback';

export function describeOperatorApps(world: () => World): void {
  describe('the operator and apps', { concurrent: true }, () => {
    test('registers an app by keyboard, sees its secret once, changes, disables and removes it', async () => {
      const { partnerId } = await world().marketplace.partnerNamed('Delta Ads');
      await registerApp(partnerId, 'In a browser');
      await using tab = await world().openConsole({
        as: world().asOperator,
        refusals: [`400 /admin/v1/partners/${partnerId}/oauth-apps`],
      });
      const { page } = tab;
      await tab.open(`/console/operator/partners/${partnerId}`);
      const apps = panel(page, 'Apps');
      await apps.getByText('Public').waitFor();
      expect(await apps.getByRole('button', { name: 'New secret' }).count()).toBe(0);
      await apps.getByRole('button', { name: 'New app' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'New app' });
      await dialog.waitFor();
      await page.keyboard.type('Audience Loader');
      await page.keyboard.press('Tab');
      await page.keyboard.type(`${callback}\n\nhttp://app.delta.example/`);
      await tabTo(page, 'Register the app');
      await page.keyboard.press('Enter');
      await dialog.getByText('Line 3 must begin with https://, unless').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      // The invalid line is selected, so typing replaces it.
      await page.keyboard.type('http://localhost:3000/');
      await tabTo(page, 'Register the app');
      await page.keyboard.press('Enter');
      const secret = await textOf(dialog.getByText(/^trib_client_/));
      await dialog.getByText('Copy it now. It will not be shown again.').waitFor();
      const clientId = await textOf(dialog.getByText(/^app_/));
      await dialog.getByRole('button', { name: 'Done' }).press('Enter');

      await page.reload();
      const app = apps.getByRole('listitem').filter({ hasText: 'Audience Loader' });
      await app.getByText(clientId).waitFor();
      expect(await page.content()).not.toContain(secret);
      await app.getByText('http://localhost:3000/').waitFor();

      await app.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Loader');
      await page.getByRole('button', { name: 'Change the app' }).click();
      await apps.getByRole('heading', { name: 'Loader', exact: true }).waitFor();
      const loader = apps.getByRole('listitem').filter({ hasText: clientId }).first();

      await loader.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('button', { name: 'Replace the secret' }).click();
      const replaced = await textOf(page.getByRole('dialog').getByText(/^trib_client_/));
      expect(replaced).not.toBe(secret);
      await page.getByRole('button', { name: 'Done' }).click();
      expect(await statusOfApp(clientId, secret)).toBe(401);
      expect(await statusOfApp(clientId, replaced)).toBe(200);

      await loader.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('stop working at once').waitFor();
      await page.getByRole('button', { name: 'Disable the app' }).click();
      await loader.getByText('Disabled').waitFor();
      expect(await statusOfApp(clientId, replaced)).toBe(401);
      await loader.getByRole('button', { name: 'Enable' }).click();
      await loader.getByText('Disabled').waitFor({ state: 'detached' });
      expect(await statusOfApp(clientId, replaced)).toBe(200);

      await loader.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Remove the app' }).click();
      await loader.waitFor({ state: 'detached' });
      expect(await statusOfApp(clientId, replaced)).toBe(401);
    });

    test('finds a grant from the customer’s and the partner’s page, and revokes it', async () => {
      const { marketplace, customers, operator } = world();
      const { partnerId } = await marketplace.partnerNamed('Echo Ads');
      const { customerId, user } = await customers.create('Tea House');
      await using teaTab = await world().openConsole({ as: user });
      await allowApp(teaTab.context, partnerId);
      await using tab = await world().openConsole({ as: world().asOperator });
      const { page } = tab;
      const grant = rowWith(page, user.email);

      await tab.open(`/console/operator/customers/${customerId}`);
      await page.getByRole('link', { name: `Grants of ${user.email}` }).click();
      await titled(page, 'Grants');
      await page.getByText(`Only apps that act for ${user.email} of Tea House`).waitFor();
      await grant.filter({ hasText: 'Echo Ads' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Grants of this customer’s users' }).click();
      await page.getByText('Only apps that act for users of Tea House').waitFor();
      await grant.getByRole('link', { name: 'Echo Ads' }).click();
      await page.getByRole('link', { name: 'Grants of these apps' }).click();
      await page.getByText('Only apps of Echo Ads').waitFor();
      expect(pathOf(page)).toBe(`/console/operator/grants?partner_id=${partnerId}`);
      await settled(page, user.email);
      expect(await faultsOf(page)).toEqual([]);

      await grant
        .getByRole('button', { name: `Revoke the grant of Echo Loader for ${user.email}` })
        .click();
      await page.getByRole('button', { name: 'Revoke the grant', exact: true }).click();
      await page.getByText('No matching grants').waitFor();
      const left = await operator.call('GET', `/admin/v1/oauth-grants?partner_id=${partnerId}`);
      expect(await left.json()).toEqual([]);
    });

    test('rotates the signing keys', async () => {
      await using tab = await world().openConsole({ as: world().asOperator });
      const { page } = tab;
      await tab.open('/console/operator/grants');
      const keys = panel(page, 'Signing keys');
      await keys.getByRole('button', { name: 'Rotate' }).click();
      await page.getByText('Tokens stay valid').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const kid = await textOf(rowWith(keys, 'In use').locator('code'));
      await keys.getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await rowWith(keys, kid).getByText('Verifies only').waitFor();
      expect(await rowWith(keys, 'In use').count()).toBe(1);
    });

    /** The status of a request that the app authenticates, about an unknown token. */
    async function statusOfApp(clientId: string, secret: string): Promise<number> {
      const body = new URLSearchParams({
        client_id: clientId,
        client_secret: secret,
        token: 'unknown',
      });
      return (await fetch(`${world().url}/oauth/introspect`, { method: 'POST', body })).status;
    }

    /** Registers a public app and returns its client ID. */
    async function registerApp(partnerId: number, name: string): Promise<string> {
      const path = `/admin/v1/partners/${partnerId}/oauth-apps`;
      const app = { name, kind: 'public', redirect_uris: [callback] };
      const made = await world().operator.call('POST', path, app);
      return ((await made.json()) as { client_id: string }).client_id;
    }

    /** Registers an app and allows it as the user of that browser, without a page. */
    async function allowApp({ request }: BrowserContext, partnerId: number): Promise<void> {
      const { url } = world();
      const client_id = await registerApp(partnerId, 'Echo Loader');
      const asked = await request.get(`${url}/oauth/authorize`, {
        params: {
          client_id,
          response_type: 'code',
          redirect_uri: callback,
          code_challenge: 'c'.repeat(43),
          code_challenge_method: 'S256',
        },
        maxRedirects: 0,
      });
      const uid = asked.headers().location?.split('/').at(-1);
      const session = await request.get(`${url}/v1/console/session`);
      const decided = await request.post(`${url}/v1/console/authorizations/${uid}`, {
        headers: { 'x-csrf-token': (await session.json()).csrf_token },
        data: { allow: true },
      });
      expect(decided.status()).toBe(200);
    }
  });
}
