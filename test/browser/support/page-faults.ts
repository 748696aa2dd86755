import { axeFindings } from './axe.ts';
import type { BrowserPage } from './browser-page.ts';
import { settled } from './looking.ts';

interface Walker {
  readonly page: BrowserPage;
  follow(path: string): Promise<void>;
}

const narrowest = 360;

/** Checks pages of the console one after the other, each by its path and a text that it shows. */
export async function faultsOn(
  { page, follow }: Walker,
  pages: Readonly<Record<string, string>>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const [path, shown] of Object.entries(pages)) {
    await follow(path);
    await settled(page, shown);
    faults.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`));
  }
  return faults;
}

/** Checks a page with axe in light and dark mode, its brightness in both, and its width and scrollable parts on a phone. */
export async function faultsOf(page: BrowserPage): Promise<string[]> {
  return [
    ...(await faultsInLight(page)),
    ...(await faultsInDark(page)),
    ...(await faultsOnPhone(page)),
  ];
}

/** Checks the API reference, with two of the groups of operations: axe takes more than a minute for all. */
export async function faultsOfReference(page: BrowserPage): Promise<string[]> {
  await page.evaluate(() => {
    const sections = [...document.querySelectorAll('main > section')];
    for (const section of sections.slice(5, -1)) section.remove();
  });
  return faultsOf(page);
}

async function faultsInLight(page: BrowserPage): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const brightness = await brightnessOf(page);
  return [
    ...(await axeFindings(page)),
    ...(brightness > 0.8 ? [] : [`brightness ${brightness} in light mode`]),
  ];
}

/** Only the rules about colour are checked again, because the structure is the same. */
async function faultsInDark(page: BrowserPage): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const brightness = await brightnessOf(page);
  return [
    ...(await axeFindings(page, 'color-contrast', 'link-in-text-block')),
    ...(brightness < 0.2 ? [] : [`brightness ${brightness} in dark mode`]),
  ];
}

async function faultsOnPhone(page: BrowserPage): Promise<string[]> {
  const before = page.viewportSize()!;
  await page.setViewportSize({ ...before, width: narrowest });
  // Plots are redrawn a moment later.
  const fits = await page
    .waitForFunction((width) => document.documentElement.scrollWidth <= width, narrowest)
    .then(() => true)
    .catch(() => false);
  const findings = await axeFindings(page, 'scrollable-region-focusable');
  await page.setViewportSize(before);
  return [...findings, ...(fits ? [] : [`wider than ${narrowest} pixels`])];
}

/** From 0, black, to 1, white. */
function brightnessOf(page: BrowserPage): Promise<number> {
  return page.evaluate(() => {
    const { backgroundColor } = getComputedStyle(document.documentElement);
    const body = getComputedStyle(document.body).backgroundColor;
    const colour = body === 'rgba(0, 0, 0, 0)' ? backgroundColor : body;
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
  });
}
