import type { Page } from 'playwright-core';
import { axeFindings } from './axe.ts';

const narrowest = 360;

/** What axe finds in light and dark, colours that do not follow, and whether it fits a phone. */
export async function faultsOf(page: Page): Promise<string[]> {
  return [
    ...(await faultsInLight(page)),
    ...(await faultsInDark(page)),
    ...(await faultsOnPhone(page)),
  ];
}

async function faultsInLight(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const brightness = await brightnessOf(page);
  return [
    ...(await axeFindings(page)),
    ...(brightness > 0.8 ? [] : [`its brightness is ${brightness} in light`]),
  ];
}

/** The structure is the same; what the colours change is asked for again. */
async function faultsInDark(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const brightness = await brightnessOf(page);
  return [
    ...(await axeFindings(page, 'color-contrast', 'link-in-text-block')),
    ...(brightness < 0.2 ? [] : [`its brightness is ${brightness} in dark`]),
  ];
}

async function faultsOnPhone(page: Page): Promise<string[]> {
  const before = page.viewportSize()!;
  await page.setViewportSize({ ...before, width: narrowest });
  // Plots are drawn anew, a moment later.
  const fits = await page
    .waitForFunction((width) => document.documentElement.scrollWidth <= width, narrowest)
    .then(() => true)
    .catch(() => false);
  await page.setViewportSize(before);
  return fits ? [] : [`it does not fit into ${narrowest} pixels`];
}

/** From 0, black, to 1, white. */
function brightnessOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { backgroundColor } = getComputedStyle(document.documentElement);
    const body = getComputedStyle(document.body).backgroundColor;
    const colour = body === 'rgba(0, 0, 0, 0)' ? backgroundColor : body;
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
  });
}
