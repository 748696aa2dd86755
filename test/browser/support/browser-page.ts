import type { Keyboard, Page } from 'playwright-core';

/** The part of Playwright's page that tests can also use in Firefox. */
export type BrowserPage = Pick<
  Page,
  'evaluate' | 'waitForFunction' | 'setViewportSize' | 'viewportSize'
> & {
  readonly keyboard: Pick<Keyboard, 'press' | 'type'>;
  emulateMedia(options: { colorScheme: 'light' | 'dark' }): Promise<void>;
};
