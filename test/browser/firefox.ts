import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineHas } from '../support/requirements.ts';
import { describeFirefoxItems } from './firefox-items.ts';
import { type Firefox, launchFirefox } from './support/firefox/launch.ts';
import { type FirefoxTab, openFirefoxTab } from './support/firefox/tab.ts';
import { settled } from './support/looking.ts';
import { faultsOfReference, faultsOn } from './support/page-faults.ts';
import type { Credentials } from './support/session.ts';
import { signInByKeyboard } from './support/sign-in-form.ts';
import { expectFocusTrap, focused, tabTo } from './support/tabbing.ts';
import { type Visit, visitors, visitsOf, type Who } from './support/visits.ts';
import type { World } from './support/world.ts';

export function describeFirefox(world: () => World): void {
  describe.runIf(machineHas('firefox'))('in Firefox', () => {
    let firefox: Firefox;
    let visits: Record<Who, Visit>;
    beforeAll(async () => {
      firefox = await launchFirefox();
      visits = await visitsOf(world());
    });
    afterAll(() => firefox?.[Symbol.asyncDispose]());

    /** Signs in by keyboard. */
    async function openConsole(as?: Credentials, refusals?: string[]): Promise<FirefoxTab> {
      const tab = await openFirefoxTab(firefox, world().url, refusals);
      await tab.open('/console');
      await settled(tab.page, 'Sign in');
      expect((await focused(tab.page)).name).toBe('E-mail');
      if (as) await signInByKeyboard(tab.page, as);
      return tab;
    }

    // The empty pages of a new partner are checked in Chromium only, to save time.
    test.each(visitors.filter((who) => who !== 'a new partner'))(
      'for %s, signed in by keyboard, every page has no axe findings in light and dark mode, and fits a phone',
      async (who) => {
        const { as, pages } = visits[who];
        await using tab = await openConsole(as);
        expect(await faultsOn(tab, pages)).toEqual([]);
      },
    );

    test('with the keyboard alone, a user opens a report from the list and sorts its table', async () => {
      await using tab = await openConsole(world().shop.harbor.user);
      const { page } = tab;
      await settled(page, 'Summer sale');
      await tabTo(page, 'Report on Summer sale');
      await page.keyboard.press('Enter');
      await settled(page, 'What stands out');
      await tabTo(page, 'Devices');
      await page.keyboard.press('Enter');
      await page.waitForFunction(
        () => document.querySelector('th[aria-sort="descending"] span')?.textContent === 'Devices',
      );
    });

    test('a dialog traps the focus, and Escape restores it', async () => {
      await using tab = await openConsole({ api_key: world().shop.acme.apiKey });
      await settled(tab.page, 'New import');
      await expectFocusTrap(tab.page, 'New import');
    });

    test('the API reference has no axe findings in light and dark mode, and fits a phone', async () => {
      await using tab = await openFirefoxTab(firefox, world().url);
      await tab.open('/docs');
      await settled(tab.page, 'API reference');
      expect(await faultsOfReference(tab.page)).toEqual([]);
    });

    describeFirefoxItems(world, openConsole);
  });
}
