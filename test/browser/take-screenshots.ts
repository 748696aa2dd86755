import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as client from 'openid-client';
import { checkout } from '../acceptance/service.ts';
import { launchChromium } from './support/browser.ts';
import { settled } from './support/looking.ts';
import type { Credentials } from './support/session.ts';
import { openTab } from './support/tab.ts';

/**
 * Takes the README's screenshots of a running demo:
 *   npm run demo
 *   node test/browser/take-screenshots.ts [--only <name>]
 */
const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string', default: 'demo-data' },
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
    only: { type: 'string' },
    's3-url': { type: 'string', default: 'http://127.0.0.1:9000' },
  },
});

/** The part of the demo's summary that is needed here. */
interface Demo {
  readonly email: string;
  readonly password: string;
  readonly apiKeys: Readonly<Record<string, string>>;
  readonly audiences: readonly { readonly segmentId: number }[];
}

interface Picture {
  readonly name: string;
  readonly path: string;
  /** A text that the page shows once its data is loaded. */
  readonly shown: string;
  readonly as?: Credentials;
  readonly colorScheme?: 'dark';
  /** Of the window, in pixels. */
  readonly height?: number;
}

function picturesOf(demo: Demo, adminToken: string, asking: string): Picture[] {
  const { email, password } = demo;
  const customer = { email, password };
  const [apiKey = ''] = Object.values(demo.apiKeys);
  const report = `/console/segments/${demo.audiences[0]?.segmentId}`;
  const shown = 'What stands out';
  // The plot is below the first screen.
  const height = 1440;
  return [
    { name: 'sign-in', path: '/console', shown: 'E-mail' },
    { name: 'composition-light', path: report, shown, as: customer, height },
    { name: 'composition-dark', path: report, shown, as: customer, height, colorScheme: 'dark' },
    { name: 'audiences', path: '/console/audiences', shown: 'Loaded', as: customer },
    { name: 'authorize', path: asking, shown: 'Do not allow', as: customer },
    { name: 'imports', path: '/console/imports', shown: 'rows/s', as: { api_key: apiKey } },
    {
      name: 'operator',
      path: '/console/operator',
      shown: 'Uploaded objects',
      as: { admin_token: adminToken },
    },
  ];
}

/** Queues two dry runs: one is running on the screenshot, the other one waits. */
async function keepBusy(apiKey: string): Promise<void> {
  for (const file_path of ['marketplace/devices.csv.gz', 'marketplace/']) {
    await fetch(`${values.url}/v1/marketplace/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ file_path, key_type: 1, dry_run: true }),
    });
  }
}

/** Registers an app and returns the path to which it sends users. */
async function askingPath(partnerName: string, adminToken: string): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const partners = `${values.url}/admin/v1/partners`;
  const listed: { name: string; partner_id: number }[] = await (
    await fetch(partners, { headers })
  ).json();
  const partnerId = listed.find(({ name }) => name === partnerName)?.partner_id;
  const redirect_uri = 'https://loader.northfield.example/callback';
  const app = { name: 'Audience Loader', kind: 'public', redirect_uris: [redirect_uri] };
  const made = await fetch(`${partners}/${partnerId}/oauth-apps`, {
    method: 'POST',
    headers,
    body: JSON.stringify(app),
  });
  const { client_id } = await made.json();
  const verifier = client.randomPKCECodeVerifier();
  const parameters = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return `/oauth/authorize?${parameters}`;
}

const dataDir = values['data-dir'];
const demo: Demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
const adminToken = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
const folder = join(checkout, 'docs/screenshots');
await mkdir(folder, { recursive: true });
await using browser = await launchChromium();
const [partnerName = ''] = Object.keys(demo.apiKeys);
const pictures = picturesOf(demo, adminToken, await askingPath(partnerName, adminToken));
for (const { name, path, shown, as, colorScheme = 'light', height = 800 } of pictures) {
  if (values.only !== undefined && values.only !== name) continue;
  const service = { url: values.url, s3Url: values['s3-url'] };
  await using tab = await openTab(browser, service, {
    ...(as ? { as } : {}),
    browsing: { colorScheme, viewport: { width: 1280, height } },
  });
  if (as && 'api_key' in as) await keepBusy(as.api_key);
  await tab.open(path);
  await settled(tab.page, shown);
  // The buttons are enabled once the page has had the focus for a moment.
  await tab.page.locator('[aria-disabled="true"]').first().waitFor({ state: 'detached' });
  await tab.page.screenshot({ path: join(folder, `${name}.png`) });
}
