import { type Browser, chromium } from 'playwright-core';
import { chromiumOnPath } from '../../support/requirements.ts';

/** Debian's Chromium, restricted to this machine. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumOnPath();
  if (executablePath === undefined) throw new Error('no Chromium found on the PATH');
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
