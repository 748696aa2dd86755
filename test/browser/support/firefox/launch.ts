import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder, until } from '../../../acceptance/service.ts';
import { firefox } from '../../../support/requirements.ts';
import { type Bidi, connectBidi } from './bidi.ts';

export interface Firefox extends AsyncDisposable {
  readonly bidi: Bidi;
  /** Changes the colour scheme of all tabs. WebDriver BiDi cannot emulate it. */
  preferColours(scheme: 'light' | 'dark'): Promise<void>;
}

const schemePreference = 'layout.css.prefers-color-scheme.content-override';

const preferences = {
  // Nothing listens on this port, so the browser reaches only this machine.
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  // Animations and spare processes would use CPU.
  'ui.prefersReducedMotion': 1,
  'dom.ipc.processPrelaunch.enabled': false,
  'dom.ipc.processCount': 1,
};

/** Debian's Firefox, restricted to this machine. Playwright cannot drive it; WebDriver BiDi can. */
export async function launchFirefox(): Promise<Firefox> {
  await using starting = new AsyncDisposableStack();
  const { path } = starting.use(await temporaryFolder());
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(path, 'user.js'), lines.join('\n'));
  const options = ['--headless', '--no-remote', '--profile', path, '--remote-allow-system-access'];
  const browser = spawn(firefox, [...options, '--remote-debugging-port', '0'], {
    // It refuses a home folder that belongs to another user.
    env: { ...process.env, HOME: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(browser, 'exit');
  starting.defer(async () => {
    browser.kill();
    await exited;
  });
  let logged = '';
  browser.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    logged += chunk;
  });
  const address = await until('Firefox to listen', async () => {
    if (browser.exitCode !== null) throw new Error(`Firefox exited: ${logged}`);
    return /listening on (ws:\S+)\n/.exec(logged)?.[1];
  });
  const bidi = starting.use(await connectBidi(`${address}/session`));
  await bidi.send('session.new', { capabilities: {} });
  starting.defer(async () => {
    await bidi.send('browser.close');
    await exited;
  });
  const { contexts } = (await bidi.send('browsingContext.getTree', {
    'moz:scope': 'chrome',
  })) as { contexts: { context: string }[] };
  const running = starting.move();
  return {
    bidi,
    async preferColours(scheme) {
      const value = scheme === 'dark' ? 0 : 1;
      await bidi.send('script.evaluate', {
        expression: `Services.prefs.setIntPref('${schemePreference}', ${value})`,
        awaitPromise: false,
        target: { context: contexts[0]?.context },
      });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
