import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { ingestOf } from '../acceptance/audience/ingest.ts';
import { type Partner, rows } from '../acceptance/marketplace/marketplace.ts';
import type { Customer } from './support/customers.ts';
import { panel } from './support/looking.ts';
import type { Tab } from './support/tab.ts';
import type { World } from './support/world.ts';

/** Runs if the page uses it as markup, in an attribute, as an address or as a template. */
function payload(where: string): string {
  return `javascript:window.__xss=1//${where}"'><img src=x onerror=window.__xss=1><script>window.__xss=1</script>`;
}

const names = {
  partner: payload('partner'),
  customer: payload('customer'),
  audience: payload('audience'),
  attribute: payload('attribute'),
  label: payload('label'),
  path: payload('path'),
  value: payload('value'),
  key: payload('key'),
  gone: payload('gone'),
  // An e-mail address has no spaces.
  email: `"'><svg/onload=window.__xss=1>@x.example`,
  keyLabel: payload('key-label'),
  userAgent: payload('user-agent'),
};

export function describeInjection(world: () => World): void {
  describe('untrusted strings are shown as text only:', { concurrent: true }, () => {
    let partner: Partner;
    let customer: Customer;
    let failedId: number;
    let deletionId: number;
    let audienceId: number;
    let segmentId: number;

    beforeAll(async () => {
      const { marketplace, customers, operator } = world();
      partner = await marketplace.partnerNamed(names.partner);
      customer = await customers.create(names.customer, names.email);
      for (const [name, key] of [
        [names.attribute, names.key],
        ['Plain', 'plain'],
        ['Gone', names.gone],
      ]) {
        const json = { name, description: payload('description'), partner_foreign_key: key };
        const answer = await partner.call('POST', '/v1/marketplace/attribute', { json });
        if (answer.status !== 201) throw new Error(answer.text);
      }
      const first = rows(600_001, 600_100, quoted(names.key));
      await partner.importedFile(first + rows(600_001, 600_200, 'plain'));
      await partner.upload(names.path, `${quoted(names.value)},plain\n`);
      failedId = (await partner.imported(names.path)).import_log_id;
      await partner.upload('visits.csv', rows(600_001, 600_200, quoted(names.label)));
      const ingest = ingestOf(partner, await customers.userToken(partner, customer));
      audienceId = await ingest.create('visits.csv', names.audience);
      await ingest.settled(audienceId);
      await ingest.appended(audienceId, names.path);
      segmentId = (await ingest.details(audienceId)).default_warehouse_segment_id;
      deletionId = (await partner.deleted([names.gone])).import_log_id;
      const keysPath = `/admin/v1/partners/${partner.partnerId}/api-keys`;
      await operator.call('POST', keysPath, { label: names.keyLabel });
      await operator.universeSettled();
    });

    test('for a customer, including plots and tooltips', async () => {
      await using tab = await world().openConsole({ as: customer.user });
      await visit(tab, {
        '/console/account': ['email', 'customer'],
        '/console/audiences': ['audience', 'partner', 'email'],
        [`/console/segments/${segmentId}?search=onerror`]: ['audience', 'partner', 'attribute'],
      });
      const events = panel(tab.page, 'Event labels').getByRole('img');
      await events.getByText(/^javascript:/).waitFor();
      expect(await events.getAttribute('aria-label')).toContain(names.label);
      const attributes = panel(tab.page, 'Attributes').getByRole('img').first();
      await attributes.hover();
      await attributes.getByText(/Baseline .* devices/).waitFor();
      // Once as the label of its row, and once in the tooltip.
      expect((await attributes.textContent())?.split('javascript:').length).toBe(3);
      await expectOnlyText(tab.page);
    });

    test('for a partner', async () => {
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      await visit(tab, {
        '/console/imports': ['partner', 'path', 'audience', 'gone'],
        [`/console/imports/${failedId}`]: ['path', 'value'],
        [`/console/imports/${deletionId}`]: ['gone'],
        [`/console/audiences/${audienceId}`]: ['audience', 'path', 'value', 'customer'],
      });
    });

    test('for an operator, including the user agent of a session', async () => {
      const headers = { 'content-type': 'application/json', 'user-agent': names.userAgent };
      const body = JSON.stringify(customer.user);
      await fetch(`${world().url}/v1/console/session`, { method: 'POST', headers, body });
      await using tab = await world().openConsole({ as: world().asOperator });
      await visit(tab, {
        '/console/operator/partners': ['partner'],
        [`/console/operator/partners/${partner.partnerId}`]: ['partner', 'keyLabel', 'customer'],
        '/console/operator/customers': ['customer'],
        [`/console/operator/customers/${customer.customerId}`]: ['customer', 'email'],
        '/console/operator/sessions': ['email'],
      });
      await tab.page.getByTitle(names.userAgent).first().waitFor();
    });
  });
}

/** Visits each page, which must show these strings as plain text. */
async function visit(tab: Tab, pages: Record<string, (keyof typeof names)[]>): Promise<void> {
  await tab.open('/console');
  await tab.page.getByRole('heading', { level: 1 }).waitFor();
  for (const [path, shown] of Object.entries(pages)) {
    await tab.follow(path);
    for (const name of shown) {
      await tab.page.getByText(names[name]).filter({ visible: true }).first().waitFor();
    }
    await expectOnlyText(tab.page);
  }
}

/** As a cell of a CSV file. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** No payload has run or has become an element of the page. */
async function expectOnlyText(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    ran: '__xss' in window,
    elements: document.querySelectorAll(
      'img:not([src^="/console/logo?"]), script:not([src]), iframe, svg[onload]',
    ).length,
    handlers: document.querySelectorAll('[onerror], [onload], [onclick]').length,
    addresses: [...document.querySelectorAll('[href], [src], [action]')].filter((element) =>
      ['href', 'src', 'action'].some((name) =>
        /^\s*(javascript|data):/i.test(element.getAttribute(name) ?? ''),
      ),
    ).length,
  }));
  expect(found).toEqual({ ran: false, elements: 0, handlers: 0, addresses: 0 });
}
