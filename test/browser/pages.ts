import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../acceptance/marketplace/marketplace.ts';
import { settled } from './support/looking.ts';
import { faultsOf } from './support/page-faults.ts';
import type { Credentials } from './support/session.ts';
import type { World } from './support/world.ts';

type Who = 'nobody' | 'a customer' | 'a partner' | 'a new partner' | 'an operator';

interface Visit {
  readonly as?: Credentials;
  /** By path, a text that each page shows once its data is loaded. */
  readonly pages: Readonly<Record<string, string>>;
}

export function describePages(world: () => World): void {
  describe('every page', { concurrent: true }, () => {
    let visits: Record<Who, Visit>;
    beforeAll(async () => {
      visits = await visitsOf(world());
    });

    test.each<Who>(['nobody', 'a customer', 'a partner', 'a new partner', 'an operator'])(
      'for %s has no axe findings in light and dark mode, and fits a phone',
      async (who) => {
        const { pages, ...options } = visits[who];
        await using tab = await world().openConsole(options);
        await tab.open('/console');
        await tab.page.getByRole('heading', { level: 1 }).waitFor();
        const faults: string[] = [];
        for (const [path, shown] of Object.entries(pages)) {
          await tab.follow(path);
          await settled(tab.page, shown);
          const found = await faultsOf(tab.page);
          faults.push(...found.map((fault) => `${path}: ${fault}`));
        }
        expect(faults).toEqual([]);
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

/** Every page for each kind of user; the partner has a failed import. */
async function visitsOf({ shop, marketplace, asOperator }: World): Promise<Record<Who, Visit>> {
  const { apiKey } = await marketplace.partner();
  const failed = await shop.acme.importedFile(`${rows(1, 2, 't1')}bad,t1\n`);
  const audience = `/console/audiences/${shop.summer.audience_id}`;
  const report = `/console/segments/${shop.summer.default_warehouse_segment_id}`;
  const operator = '/console/operator';
  return {
    nobody: { pages: { '/console': 'E-mail' } },
    'a customer': {
      as: shop.harbor.user,
      pages: {
        '/console/audiences': 'Summer sale',
        [audience]: 'visits.csv',
        [report]: 'What stands out',
        '/console/account': 'This session',
        '/console/nowhere': 'There is no page at this address.',
      },
    },
    'a partner': {
      as: { api_key: shop.acme.apiKey },
      pages: {
        '/console/imports': 'Too many rows were rejected',
        [`/console/imports/${failed.import_log_id}`]: 'Not an advertising identifier',
        [audience]: 'visits.csv',
        '/console/attributes': 'Topic 0',
        '/console/upload': 'Drop files here',
        '/console/account': 'trib_key_',
        '/console/usage': 'Requests per month',
      },
    },
    'a new partner': {
      as: { api_key: apiKey },
      pages: {
        '/console/imports': 'No imports yet',
        '/console/attributes': 'No attributes yet',
        '/console/audiences': 'No audiences yet',
      },
    },
    'an operator': {
      as: asOperator,
      pages: {
        [operator]: 'Uploaded objects',
        [`${operator}/jobs`]: 'Too many rows were rejected',
        [`${operator}/jobs/${failed.import_log_id}`]: 'Not an advertising identifier',
        [`${operator}/audit`]: 'Create a partner',
        [`${operator}/partners`]: 'Acme Media',
        [`${operator}/partners/${shop.acme.partnerId}`]: 'Harbor Coffee',
        [`${operator}/customers`]: 'Harbor Coffee',
        [`${operator}/customers/${shop.harbor.customerId}`]: shop.harbor.user.email,
        [`${operator}/sessions`]: 'this session',
        [`${operator}/privacy`]: 'New request',
        [`${operator}/privacy/drop`]: 'No archives yet',
      },
    },
  };
}
