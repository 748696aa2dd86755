import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Service } from '../../acceptance/service.ts';
import { type Credentials, signInByApi } from './session.ts';

export interface TabOptions {
  /** Who is signed in already; nobody if left out. */
  readonly as?: Credentials;
  /** Refusals that the test means to meet, such as `404 /v1/console/segments/7`. */
  readonly refusals?: readonly (string | RegExp)[];
  /** Where else than to the service the browser is meant to go. */
  readonly elsewhere?: readonly string[];
  readonly browsing?: BrowserContextOptions;
}

/** A browser of its own with one page. Disposing of it fails if anything went wrong in that page. */
export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path of the service. */
  open(path: string): Promise<void>;
  /** Goes to a path as a link of the console does: of all that is loaded, nothing is loaded again. */
  follow(path: string): Promise<void>;
}

const patienceMs = 10_000;

export async function openTab(
  browser: Browser,
  service: Pick<Service, 'url' | 's3Url'>,
  { as, refusals = [], elsewhere = [], browsing = {} }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    // Drawing what moves takes most of a small machine.
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
      // What breaks off because the browser goes is no fault.
      const found = [...faults];
      await context.close();
      if (found.length > 0) throw new Error(`the browser met faults:\n${found.join('\n')}`);
    },
  };
}

/** Collects whatever a page should not do: errors, warnings, violated policies, calls elsewhere. */
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
    if (!origins.includes(url.origin)) faults.push(`request elsewhere: ${url}`);
  });
  return faults;
}

/** Status and path of an answer that the browser itself reports as an error. */
function refusalIn(text: string, url: string): string | undefined {
  const [, status] = /^Failed to load resource: .* status of (\d{3})\b/.exec(text) ?? [];
  return status && URL.canParse(url) ? `${status} ${new URL(url).pathname}` : undefined;
}
