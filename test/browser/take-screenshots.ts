import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout } from '../acceptance/service.ts';
import { launchChromium } from './support/browser.ts';
import { settled } from './support/looking.ts';
import type { Credentials } from './support/session.ts';
import { openTab } from './support/tab.ts';

/**
 * Takes the README's pictures from a demo that is running:
 *   npm run demo
 *   node test/browser/take-screenshots.ts
 */
const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string', default: 'demo-data' },
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
    's3-url': { type: 'string', default: 'http://127.0.0.1:9000' },
  },
});

/** What the demo keeps of what it printed. */
interface Demo {
  readonly email: string;
  readonly password: string;
  readonly apiKeys: Readonly<Record<string, string>>;
  readonly audiences: readonly { readonly segmentId: number }[];
}

interface Picture {
  readonly name: string;
  readonly path: string;
  /** What it shows once its data is there. */
  readonly shown: string;
  readonly as?: Credentials;
  readonly colorScheme?: 'dark';
}

function picturesOf(demo: Demo, adminToken: string): Picture[] {
  const { email, password } = demo;
  const customer = { email, password };
  const [apiKey = ''] = Object.values(demo.apiKeys);
  const report = `/console/segments/${demo.audiences[0]?.segmentId}`;
  const shown = 'What stands out';
  return [
    { name: 'sign-in', path: '/console', shown: 'E-mail' },
    { name: 'composition-light', path: report, shown, as: customer },
    { name: 'composition-dark', path: report, shown, as: customer, colorScheme: 'dark' },
    { name: 'audiences', path: '/console/audiences', shown: 'Loaded', as: customer },
    { name: 'imports', path: '/console/imports', shown: 'rows/s', as: { api_key: apiKey } },
    {
      name: 'operator',
      path: '/console/operator',
      shown: 'Uploaded objects',
      as: { admin_token: adminToken },
    },
  ];
}

/** Two dry runs, which change nothing: one to be seen running, and one that waits for it. */
async function keepBusy(apiKey: string): Promise<void> {
  for (const file_path of ['marketplace/devices.csv.gz', 'marketplace/']) {
    await fetch(`${values.url}/v1/marketplace/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ file_path, key_type: 1, dry_run: true }),
    });
  }
}

const dataDir = values['data-dir'];
const demo: Demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
const adminToken = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
const folder = join(checkout, 'docs/screenshots');
await mkdir(folder, { recursive: true });
await using browser = await launchChromium();
for (const { name, path, shown, as, colorScheme = 'light' } of picturesOf(demo, adminToken)) {
  const service = { url: values.url, s3Url: values['s3-url'] };
  await using tab = await openTab(browser, service, {
    ...(as ? { as } : {}),
    browsing: { colorScheme },
  });
  if (as && 'api_key' in as) await keepBusy(as.api_key);
  await tab.open(path);
  await settled(tab.page, shown);
  await tab.page.screenshot({ path: join(folder, `${name}.png`) });
}
