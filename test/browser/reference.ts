import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { textOf } from './support/looking.ts';
import { faultsOfReference } from './support/page-faults.ts';
import { tabTo } from './support/tabbing.ts';
import type { World } from './support/world.ts';

const phone = { viewport: { width: 390, height: 800 } };

export function describeReference(world: () => World): void {
  describe('the API reference', { concurrent: true }, () => {
    test('has no axe findings in light and dark mode, with a form open, and fits a phone', async () => {
      await using tab = await world().openConsole();
      const { page } = tab;
      await tab.open('/docs');
      await operation(page, 'queueImport').getByRole('button', { name: 'Try it' }).click();
      expect(await faultsOfReference(page)).toEqual([]);
    });

    test.each([
      ['1280', {}],
      ['390', phone],
    ])(
      'at %s pixels: search leads to an operation, whose link is marked',
      async (_width, browsing) => {
        await using tab = await world().openConsole({ browsing });
        const { page } = tab;
        await tab.open('/docs#problem-not_found');
        expect(await isInView(page, '#problem-not_found')).toBe(true);
        await page.keyboard.press('/');
        await page.keyboard.type('dry_run');
        const results = page.getByRole('list', { name: 'Search results' });
        await results.getByRole('link').first().waitFor();
        expect(await textOf(results.getByRole('link').first())).toContain('dry_run');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await results.waitFor({ state: 'hidden' });
        expect(new URL(page.url()).hash).toBe('#operation-queueImport');
        expect(await isInView(page, '#operation-queueImport')).toBe(true);
        const current = page.locator('nav [aria-current="location"]');
        await expect.poll(() => current.getAttribute('href')).toBe('#operation-queueImport');
        await page.locator('#operation-getAudience').scrollIntoViewIfNeeded();
        await page
          .locator('#operation-getAudience')
          .evaluate((heading) => heading.scrollIntoView());
        await expect.poll(() => current.getAttribute('href')).toBe('#operation-getAudience');
      },
    );

    test('a chosen language applies to all examples, and its code can be copied', async () => {
      await using tab = await world().openConsole({
        browsing: { permissions: ['clipboard-read', 'clipboard-write'] },
      });
      const { page } = tab;
      await tab.open('/docs');
      const tabs = operation(page, 'queueImport').getByRole('tab');
      expect(await tabs.allInnerTexts()).toEqual(['curl', 'TypeScript', 'Python']);
      await tabs.first().focus();
      await page.keyboard.press('ArrowRight');
      expect(await tabs.nth(1).getAttribute('aria-selected')).toBe('true');
      const other = operation(page, 'getAudience').getByRole('tabpanel');
      expect(await textOf(other)).toContain('await fetch(');
      const panel = operation(page, 'queueImport').getByRole('tabpanel');
      await panel.hover();
      await panel.getByRole('button', { name: 'Copy' }).click();
      await panel.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe(await panel.locator('code').textContent());
      expect(copied).toMatch(
        /^const response = await fetch\('.*console\.log\(await response\.json\(\)\);$/s,
      );
      await page.reload();
      expect(await tabs.nth(1).getAttribute('aria-selected')).toBe('true');
    });

    test.each([
      ['1280', {}],
      ['390', phone],
    ])(
      'at %s pixels: a request is sent with a key that stays in the page',
      async (_width, browsing) => {
        const { acme } = world().shop;
        await using tab = await world().openConsole({
          browsing,
          refusals: ['404 /v1/marketplace/import/999999'],
        });
        const { page } = tab;
        await tab.open('/docs#operation-listAttributes');
        const list = await openForm(page, 'listAttributes');
        await list.getByLabel('Authorization').fill(acme.apiKey);
        await list.getByLabel('limit').fill('1');
        const sent = page.waitForRequest((request) =>
          request.url().includes('/marketplace/attribute'),
        );
        await page.keyboard.press('Enter');
        const headers = await (await sent).allHeaders();
        expect(headers.authorization).toBe(`Bearer ${acme.apiKey}`);
        expect(headers.cookie).toBeUndefined();
        await list.locator('.status', { hasText: '200' }).waitFor();
        const answer = await textOf(list.locator('.answer'));
        expect(answer).toMatch(/^200 OK · \d+ ms\n/);
        expect(answer).toContain('x-request-id');
        expect(answer).toContain('"partner_foreign_key": ');
        // The next form knows the key. A problem links to its description.
        const log = await openForm(page, 'getImportLog');
        expect(await log.getByLabel('Authorization').inputValue()).toBe(acme.apiKey);
        await log.getByLabel('import_log_id').fill('999999');
        await log.getByRole('button', { name: 'Send request' }).click();
        await log.getByRole('link', { name: 'What not_found means' }).waitFor();
        const stored = await page.evaluate(() =>
          JSON.stringify([
            { ...localStorage },
            { ...sessionStorage },
            document.cookie,
            history.state,
            location.href,
          ]),
        );
        expect(stored).not.toContain(acme.apiKey);
        await page.reload();
        const again = await openForm(page, 'listAttributes');
        expect(await again.getByLabel('Authorization').inputValue()).toBe('');
      },
    );

    test('asks before it deletes, with the keyboard alone', async () => {
      const partner = await world().marketplace.partner('tea');
      const [id] = partner.attributeIds;
      await using tab = await world().openConsole();
      const { page } = tab;
      await tab.open('/docs#operation-deleteAttribute');
      await operation(page, 'deleteAttribute').getByRole('tab').first().focus();
      await tabTo(page, 'Try it: Delete an attribute');
      await page.keyboard.press('Enter');
      await page.keyboard.type(partner.apiKey);
      await page.keyboard.press('Tab');
      await page.keyboard.type(String(id));
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Send this DELETE request?' });
      await dialog.waitFor();
      expect(await textOf(dialog)).toContain(
        `DELETE ${world().url}/v1/marketplace/attribute/${id}`,
      );
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect((await partner.call('GET', '/v1/marketplace/import')).body).toEqual([]);
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page
        .getByRole('form', { name: 'Try it: Delete an attribute' })
        .locator('.status', { hasText: '202' })
        .waitFor();
      expect((await partner.call('GET', '/v1/marketplace/import')).body).toHaveLength(1);
    });

    test('can be read without scripts, and printed without controls', async () => {
      await using tab = await world().openConsole({ browsing: { javaScriptEnabled: false } });
      await tab.open('/docs#operation-queueImport');
      const { page } = tab;
      const samples = operation(page, 'queueImport').locator('.samples');
      expect(await textOf(samples)).toMatch(/^curl\ncurl -X POST .*\nTypeScript\nPython$/s);
      await samples.getByText('Python').click();
      expect(await textOf(samples)).toContain('urlopen(request)');
      expect(await page.getByRole('button').count()).toBe(0);

      await using scripted = await world().openConsole();
      await scripted.open('/docs');
      await scripted.page.emulateMedia({ media: 'print' });
      expect(
        await scripted.page.locator('nav, button, form, input').filter({ visible: true }).count(),
      ).toBe(0);
      const printed = operation(scripted.page, 'queueImport').locator('.samples');
      expect(await textOf(printed)).toMatch(/^curl -X POST/);
    });
  });
}

function operation(page: Page, id: string) {
  return page.locator('article', { has: page.locator(`#operation-${id}`) });
}

/** Opens the form of an operation. */
async function openForm(page: Page, id: string) {
  const article = operation(page, id);
  await article.getByRole('button', { name: 'Try it' }).click();
  return article.getByRole('form');
}

/** Waits until the element is in the window. */
async function isInView(page: Page, selector: string): Promise<boolean> {
  const seen = await page.waitForFunction((wanted) => {
    const { top } = document.querySelector(wanted)!.getBoundingClientRect();
    return top >= 0 && top < innerHeight;
  }, selector);
  return seen.jsonValue();
}
