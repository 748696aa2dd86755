import { describe, expect, test } from 'vitest';
import { titled } from './support/looking.ts';
import { focused, tabTo } from './support/tabbing.ts';
import type { World } from './support/world.ts';

export function describeKeyboard(world: () => World): void {
  describe('with the keyboard alone', { concurrent: true }, () => {
    test('a user signs in, opens a report from the list and sorts its table', async () => {
      const { user } = world().shop.harbor;
      await using tab = await world().openConsole();
      const { page } = tab;
      await tab.open('/console');
      await titled(page, 'Sign in');
      await tabTo(page, 'E-mail');
      await page.keyboard.type(user.email);
      await tabTo(page, 'Password');
      await page.keyboard.type(user.password);
      await page.keyboard.press('Enter');
      await titled(page, 'Audiences');
      await page.getByRole('row').filter({ hasText: 'Summer sale' }).waitFor();
      await tabTo(page, 'Report on Summer sale');
      await page.keyboard.press('Enter');
      await titled(page, 'Summer sale');
      const head = page.getByRole('columnheader', { name: 'Devices' });
      await head.waitFor();
      await tabTo(page, 'Devices');
      await page.keyboard.press('Enter');
      expect(await head.getAttribute('aria-sort')).toBe('descending');
      await page.keyboard.press('Space');
      expect(await head.getAttribute('aria-sort')).toBe('ascending');
    });

    test('a dialog traps the focus, and Escape restores it', async () => {
      await using tab = await world().openConsole({ as: { api_key: world().shop.acme.apiKey } });
      const { page } = tab;
      await tab.open('/console/imports');
      await titled(page, 'Imports');
      await tabTo(page, 'New import');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      for (let stop = 0; stop < 12; stop++) {
        await page.keyboard.press('Tab');
        const isInside = await page.evaluate(() => {
          const { activeElement } = document;
          // Between the last and the first element the focus is on the browser's own controls.
          return activeElement === document.body || activeElement?.closest('dialog') !== null;
        });
        expect(isInside).toBe(true);
      }
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await focused(page)).name).toBe('New import');
    });
  });
}
