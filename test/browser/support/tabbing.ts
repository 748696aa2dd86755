import { expect } from 'vitest';
import type { BrowserPage } from './browser-page.ts';

/** Presses Tab until the named element has the focus. Every element on the way must show its focus. */
export async function tabTo(page: BrowserPage, name: string): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    expect(stop).toMatchObject({ isSeen: true });
    if (stop.name === name) return;
    passed.push(stop.name);
  }
  throw new Error(`Tab does not lead to ${name}, only to ${passed.join(', ')}`);
}

/** Goes to a button or link by keyboard, and activates it. */
export async function choose(page: BrowserPage, name: string, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

/** The focused element, and whether its focus is visible. */
export function focused(page: BrowserPage): Promise<{ name: string; isSeen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const [label = element] = (element as HTMLInputElement).labels ?? [];
    const read = [...label.childNodes].filter((node) => (node as Element).ariaHidden !== 'true');
    const name = element.ariaLabel ?? read.map(({ textContent }) => textContent).join('');
    // The focus ring of a radio button is drawn around its label.
    const drawn = [element, element.nextElementSibling].filter((each) => each !== null);
    const isSeen = drawn.some((each) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(each);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    });
    const { width, height } = element.getBoundingClientRect();
    return {
      name: name.trim(),
      isSeen: element === document.body || (isSeen && width * height > 0),
    };
  });
}

/** Opens the dialog of the named button. It must keep the focus until Escape returns it to the button. */
export async function expectFocusTrap(page: BrowserPage, button: string): Promise<void> {
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('dialog[open]') !== null);
  for (let stop = 0; stop < 12; stop++) {
    await page.keyboard.press('Tab');
    const isInside = await page.evaluate(() => {
      const { activeElement } = document;
      // Between the last and the first element the focus is on the browser's own controls.
      return activeElement === document.body || activeElement?.closest('dialog') !== null;
    });
    expect(isInside).toBe(true);
  }
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('dialog') === null);
  expect((await focused(page)).name).toBe(button);
}
