import { until } from '../../../acceptance/service.ts';
import type { BrowserPage } from '../browser-page.ts';
import type { Firefox } from './launch.ts';

const patienceMs = 60_000;

/** The keys that tests press by name, as WebDriver encodes them. */
const keys: Readonly<Record<string, string>> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Escape: '\uE00C',
  Space: ' ',
  End: '\uE010',
  Home: '\uE011',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
};

type Script = string | ((arg: unknown) => unknown);

interface Evaluated {
  readonly result?: { readonly value?: string };
  readonly exceptionDetails?: { readonly text: string };
}

/** The page in a tab of Firefox. */
export function createFirefoxPage({ bidi, preferColours }: Firefox, context: string): BrowserPage {
  let size = { width: 1280, height: 800 };

  /** A function takes and returns JSON. */
  async function evaluate(script: Script, arg?: unknown): Promise<unknown> {
    const isFunction = typeof script === 'function';
    const call = `(async () => JSON.stringify(await (${script})(${JSON.stringify(arg)})))()`;
    const { result, exceptionDetails }: Evaluated = await bidi.send('script.evaluate', {
      expression: isFunction ? call : script,
      awaitPromise: true,
      target: { context },
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return isFunction && result?.value !== undefined ? JSON.parse(result.value) : undefined;
  }

  async function waitForFunction(script: Script, arg?: unknown): Promise<void> {
    const isTrue = async () => Boolean(await evaluate(script, arg));
    await until(`${script} with ${arg}`, isTrue, patienceMs);
  }

  /** Presses groups of keys, one after the other. */
  async function strike(groups: readonly string[][]): Promise<void> {
    const actions = groups.flatMap((group) => [
      ...group.map((value) => ({ type: 'keyDown', value })),
      ...group.toReversed().map((value) => ({ type: 'keyUp', value })),
    ]);
    const source = { type: 'key', id: 'keyboard', actions };
    await bidi.send('input.performActions', { context, actions: [source] });
  }

  return {
    evaluate: evaluate as BrowserPage['evaluate'],
    waitForFunction: waitForFunction as unknown as BrowserPage['waitForFunction'],
    viewportSize: () => size,
    async setViewportSize(viewport) {
      size = viewport;
      await bidi.send('browsingContext.setViewport', { context, viewport });
    },
    async emulateMedia({ colorScheme }) {
      await preferColours(colorScheme);
      // The change reaches the process of the page later.
      const isPreferred = (query: unknown) => matchMedia(String(query)).matches;
      await waitForFunction(isPreferred, `(prefers-color-scheme: ${colorScheme})`);
    },
    keyboard: {
      press: (names) => strike([names.split('+').map((name) => keys[name] ?? name)]),
      type: (text) => strike([...text].map((character) => [character])),
    },
  };
}
