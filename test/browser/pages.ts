import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from './support/looking.ts';
import { faultsOn } from './support/page-faults.ts';
import { type Visit, visitors, visitsOf, type Who } from './support/visits.ts';
import type { World } from './support/world.ts';

export function describePages(world: () => World): void {
  describe('every page', { concurrent: true }, () => {
    let visits: Record<Who, Visit>;
    beforeAll(async () => {
      visits = await visitsOf(world());
    });

    test.each(visitors)(
      'for %s has no axe findings in light and dark mode, and fits a phone',
      async (who) => {
        const { pages, ...options } = visits[who];
        await using tab = await world().openConsole(options);
        await tab.open('/console');
        await tab.page.getByRole('heading', { level: 1 }).waitFor();
        expect(await faultsOn(tab, pages)).toEqual([]);
      },
    );

    test('has no animations for users who prefer reduced motion', async () => {
      await using tab = await world().openConsole();
      await tab.open('/console');
      await settled(tab.page, 'E-mail');
      expect(await movingParts(tab.page)).toBe(0);
      await tab.page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await movingParts(tab.page)).toBeGreaterThan(0);
    });
  });
}

/** The number of elements with an animation or a transition. */
function movingParts(page: Page): Promise<number> {
  return page.evaluate(() => {
    const lasts = (duration: string) => Number.parseFloat(duration) > 0.01;
    return [...document.querySelectorAll('*')].filter((element) => {
      const style = getComputedStyle(element);
      const isAnimated = style.animationName !== 'none' && lasts(style.animationDuration);
      return isAnimated || lasts(style.transitionDuration);
    }).length;
  });
}
