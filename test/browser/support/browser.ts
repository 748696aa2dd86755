import { type Browser, chromium } from 'playwright-core';
import { chromiumOnPath } from '../../support/requirements.ts';

/** Debian's Chromium, which talks to this machine only. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumOnPath();
  if (executablePath === undefined) throw new Error('there is no chromium on the path');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}
