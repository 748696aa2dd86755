import { describe, expect, test } from 'vitest';
import { textOf, titled } from './support/looking.ts';
import { expectFocusTrap, focused, tabTo } from './support/tabbing.ts';
import type { World } from './support/world.ts';

export function describeKeyboard(world: () => World): void {
  describe('with the keyboard alone', { concurrent: true }, () => {
    test('a user signs in, opens a report from the list and sorts its table', async () => {
      const { user } = world().shop.harbor;
      await using tab = await world().openConsole();
      const { page } = tab;
      await tab.open('/console');
      await titled(page, 'Sign in');
      expect((await focused(page)).name).toBe('E-mail');
      await page.keyboard.type(user.email);
      await tabTo(page, 'Password');
      await page.keyboard.type(user.password);
      await page.keyboard.press('Enter');
      await titled(page, 'Audiences');
      await page.getByRole('row').filter({ hasText: 'Summer sale' }).waitFor();
      await tabTo(page, 'Report on Summer sale');
      await page.keyboard.press('Enter');
      await titled(page, 'Summer sale');
      await tabTo(page, 'Matched');
      await page.getByText('Unique devices with an attribute in the marketplace').waitFor();
      await tabTo(page, 'Plot. The arrow keys show the figures.');
      const tip = page.locator('[aria-label="Plot. The arrow keys show the figures."] + p');
      const first = await textOf(tip);
      expect(first).toMatch(/Audience [\d.]+%.*Index \d+/);
      await page.keyboard.press('ArrowDown');
      expect(await textOf(tip)).not.toBe(first);
      // The plot draws the same tip.
      const plots = page.locator('.row-plot');
      expect(await plots.filter({ hasText: /Baseline [\d.]+%/ }).count()).toBe(1);
      await page.keyboard.press('Escape');
      expect(await plots.filter({ hasText: /Baseline [\d.]+%/ }).count()).toBe(0);
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
      await expectFocusTrap(page, 'New import');
    });
  });
}
