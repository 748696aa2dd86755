import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Service } from '../../acceptance/service.ts';
import { type Credentials, signInByApi } from './session.ts';

export interface TabOptions {
  /** The signed-in user; nobody if omitted. */
  readonly as?: Credentials;
  /** Error responses that the test expects, such as `404 /v1/console/segments/7`. */
  readonly refusals?: readonly (string | RegExp)[];
  /** Other origins that the browser may visit. */
  readonly elsewhere?: readonly string[];
  readonly browsing?: BrowserContextOptions;
}

/** An isolated browser context with one page. Disposing it throws if the page had errors. */
export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path of the service. */
  open(path: string): Promise<void>;
  /** Navigates like a link of the console, without reloading the page. */
  follow(path: string): Promise<void>;
}

const patienceMs = 60_000;

export async function openTab(
  browser: Browser,
  service: Pick<Service, 'url' | 's3Url'>,
  { as, refusals = [], elsewhere = [], browsing = {} }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    // Animations would use most of a small machine's CPU.
    reducedMotion: 'reduce',
    ...browsing,
  });
  context.setDefaultTimeout(patienceMs);
  if (as) {
    const { cookie } = await signInByApi(service.url, as);
    await context.addCookies([{ ...cookie, url: service.url, httpOnly: true, sameSite: 'Strict' }]);
  }
  const page = await context.newPage();
  const faults = watch(page, [service.url, service.s3Url, ...elsewhere], refusals);
  return {
    page,
    context,
    async open(path) {
      await page.goto(service.url + path);
    },
    async follow(path) {
      await page.evaluate((target) => history.pushState(null, '', target), path);
    },
    async [Symbol.asyncDispose]() {
      // Requests that fail because the browser closes are not counted.
      const found = [...faults];
      await context.close();
      if (found.length > 0) throw new Error(`the page had errors:\n${found.join('\n')}`);
    },
  };
}

/** Collects errors, warnings, policy violations and requests to other origins. */
function watch(
  page: Page,
  origins: readonly string[],
  refusals: readonly (string | RegExp)[],
): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    const type = message.type();
    if (type !== 'error' && type !== 'warning') return;
    const refused = refusalIn(message.text(), message.location().url);
    const isMeant = (refusal: string | RegExp) =>
      typeof refusal === 'string' ? refusal === refused : refusal.test(refused ?? '');
    if (refused !== undefined && refusals.some(isMeant)) return;
    faults.push(`${type}: ${refused ?? message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol === 'data:' || url.protocol === 'blob:') return;
    if (!origins.includes(url.origin)) faults.push(`request to another origin: ${url}`);
  });
  return faults;
}

/** Status and path of a response that the browser reports as an error. */
function refusalIn(text: string, url: string): string | undefined {
  const [, status] = /^Failed to load resource: .* status of (\d{3})\b/.exec(text) ?? [];
  return status && URL.canParse(url) ? `${status} ${new URL(url).pathname}` : undefined;
}
