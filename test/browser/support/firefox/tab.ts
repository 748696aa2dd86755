import type { BrowserPage } from '../browser-page.ts';
import type { Tab } from '../tab.ts';
import type { Bidi } from './bidi.ts';
import type { Firefox } from './launch.ts';
import { createFirefoxPage } from './page.ts';

/** An isolated tab of Firefox. Disposing it throws if the page had errors. */
export type FirefoxTab = Omit<Tab, 'context' | 'page'> & { readonly page: BrowserPage };

/** Only one tab can be open at a time, because all share the colour scheme and the watch for errors. */
export async function openFirefoxTab(
  firefox: Firefox,
  url: string,
  /** Error responses that the test expects, such as `404 /v1/console/segments/7`. */
  refusals: readonly string[] = [],
): Promise<FirefoxTab> {
  const { bidi } = firefox;
  const { userContext } = await bidi.send('browser.createUserContext');
  const { context } = await bidi.send('browsingContext.create', { type: 'tab', userContext });
  const page = createFirefoxPage(firefox, String(context));
  await page.setViewportSize({ width: 1280, height: 800 });
  const faults = await watch(bidi, String(context), url, refusals);
  return {
    page,
    async open(path) {
      await bidi.send('browsingContext.navigate', { context, url: url + path, wait: 'complete' });
    },
    async follow(path) {
      await page.evaluate((target) => history.pushState(null, '', target), path);
    },
    async [Symbol.asyncDispose]() {
      // Requests that fail because the tab closes are not counted.
      const found = [...faults];
      await bidi.send('browser.removeUserContext', { userContext });
      if (found.length > 0) throw new Error(`the page had errors:\n${found.join('\n')}`);
    },
  };
}

interface LogEntry {
  readonly level: string;
  readonly text: string | null;
}

interface NetworkEvent {
  readonly request: { readonly url: string };
}

interface Responded extends NetworkEvent {
  readonly response: { readonly status: number };
}

/**
 * Collects errors, warnings, error responses and requests to other origins. Firefox logs violations of the
 * page's policy as errors, but not error responses.
 */
async function watch(
  bidi: Bidi,
  context: string,
  origin: string,
  refusals: readonly string[],
): Promise<string[]> {
  const faults: string[] = [];
  bidi.on('log.entryAdded', ({ level, text }: LogEntry) => {
    if (level === 'error' || level === 'warn') faults.push(`${level}: ${text}`);
  });
  bidi.on('network.beforeRequestSent', ({ request }: NetworkEvent) => {
    const { protocol, origin: asked } = new URL(request.url);
    if (protocol === 'data:' || protocol === 'blob:') return;
    if (asked !== origin) faults.push(`request to another origin: ${request.url}`);
  });
  bidi.on('network.responseCompleted', ({ request, response }: Responded) => {
    const refusal = `${response.status} ${new URL(request.url).pathname}`;
    if (response.status >= 400 && !refusals.includes(refusal)) faults.push(`status ${refusal}`);
  });
  const events = ['log.entryAdded', 'network.beforeRequestSent', 'network.responseCompleted'];
  await bidi.send('session.subscribe', { events, contexts: [context] });
  return faults;
}
