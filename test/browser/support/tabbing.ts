import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Presses Tab until the named element has the focus. Every element on the way must show its focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
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

/** The focused element, and whether its focus is visible. */
export function focused(page: Page): Promise<{ name: string; isSeen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    const name = element.ariaLabel ?? (labels[0] ?? element).textContent ?? '';
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
