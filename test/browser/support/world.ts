import { join } from 'node:path';
import { operatorOf } from '../../acceptance/audience/ingest.ts';
import { type Marketplace, startMarketplace } from '../../acceptance/marketplace/marketplace.ts';
import { type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';
import { launchChromium } from './browser.ts';
import { buildConsole } from './built-console.ts';
import { type Customers, customersOf } from './customers.ts';
import type { Credentials } from './session.ts';
import { openShop, type Shop } from './shop.ts';
import { type SlowStorage, startSlowStorage } from './slow-storage.ts';
import { openTab, type Tab, type TabOptions } from './tab.ts';

/** Needs escaping in HTML. */
export const brandName = 'Café & <Co>';

/** One service with its console, and one browser, for all tests. */
export interface World extends AsyncDisposable {
  readonly url: string;
  readonly marketplace: Marketplace;
  readonly operator: ReturnType<typeof operatorOf>;
  readonly customers: Customers;
  readonly shop: Shop;
  readonly asOperator: Credentials;
  /** Partner buckets in the region us-east-1: our own storage behind a slow proxy. */
  readonly slowStorage: SlowStorage;
  /** The mail server of the service. */
  readonly smtp: SmtpServer;
  /** Opens an isolated tab. */
  openConsole(options?: TabOptions): Promise<Tab>;
}

export async function startWorld(): Promise<World> {
  await using starting = new AsyncDisposableStack();
  await buildConsole();
  const slowStorage = starting.use(await startSlowStorage());
  const smtp = starting.use(await startSmtpServer());
  const endpoints = { 'us-east-1': slowStorage.endpoint };
  const [marketplace, browser] = await Promise.all([
    startMarketplace({
      TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify(endpoints),
      TRIBUTARY_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      TRIBUTARY_BRAND_NAME: brandName,
      TRIBUTARY_BRAND_LOGO: join(import.meta.dirname, 'logo.svg'),
    }),
    launchChromium(),
  ]);
  starting.use(marketplace);
  starting.defer(() => browser.close());
  const { service, adminToken } = marketplace;
  slowStorage.setTarget(service.s3Url);
  const customers = customersOf(marketplace);
  const shop = await openShop(marketplace, customers);
  const running = starting.move();
  return {
    url: service.url,
    marketplace,
    operator: operatorOf(marketplace),
    customers,
    shop,
    asOperator: { admin_token: adminToken },
    slowStorage,
    smtp,
    openConsole: (options) => openTab(browser, service, options),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
