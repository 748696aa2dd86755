import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool } from '../acceptance/s3-clients/storage-client.ts';
import { type Service, startService, temporaryFolder } from '../acceptance/service.ts';
import { createCertificate } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { machineHas, type Requirement } from '../support/requirements.ts';
import { launchChromium } from './support/browser.ts';
import { buildConsole } from './support/built-console.ts';
import { titled } from './support/looking.ts';
import { startNginx } from './support/nginx.ts';
import { signIn } from './support/sign-in-form.ts';

interface Secured extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  readonly s3Url: string;
}

type Files = Awaited<ReturnType<typeof createCertificate>>;

/** Two ways to serve https. */
const ways: readonly [string, Requirement[], (folder: string, files: Files) => Promise<Secured>][] =
  [
    ['a service with a certificate', [], startWithCertificate],
    ['a service behind nginx', ['nginx'], startBehindNginx],
  ];

async function startWithCertificate(folder: string, { cert, key }: Files): Promise<Secured> {
  const env = { TRIBUTARY_TLS_CERT: cert, TRIBUTARY_TLS_KEY: key };
  const service = await startService({ dataDir: join(folder, 'data'), env });
  const { url, s3Url } = service;
  return { service, url, s3Url, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

async function startBehindNginx(folder: string, files: Files): Promise<Secured> {
  await using starting = new AsyncDisposableStack();
  const ports = { port: await freePort(), s3Port: await freePort() };
  const nginx = starting.use(await startNginx({ folder, ...files, ...ports }));
  const env = {
    TRIBUTARY_PUBLIC_URL: nginx.url,
    TRIBUTARY_S3_PUBLIC_URL: nginx.s3Url,
    TRIBUTARY_TRUST_PROXY: '127.0.0.1',
  };
  const dataDir = join(folder, 'data');
  const service = starting.use(await startService({ dataDir, env, ...ports }));
  const running = starting.move();
  return {
    service,
    url: nginx.url,
    s3Url: nginx.s3Url,
    async [Symbol.asyncDispose]() {
      await running.disposeAsync();
      expect(nginx.logged()).toBe('');
    },
  };
}

describe.each(ways)('%s', (_name, needed, start) => {
  let running: AsyncDisposableStack;
  let folder: string;
  let files: Files;
  let secured: Secured;
  const canRun = machineHas('chromium', 'aws', 'openssl', ...needed);
  beforeAll(async () => {
    if (!canRun) return;
    await using starting = new AsyncDisposableStack();
    folder = starting.use(await temporaryFolder()).path;
    files = await createCertificate(folder);
    await buildConsole();
    secured = starting.use(await start(folder, files));
    running = starting.move();
  });
  afterAll(() => running?.disposeAsync());

  const printed = (line: RegExp) => line.exec(secured.service.printed())?.[1] ?? '';

  test.runIf(canRun)('takes uploads of the aws cli over https, whole and in parts', async () => {
    const file = join(folder, 'large.bin');
    const content = randomBytes(10_000_000);
    await writeFile(file, content);
    const upload = printed(/^ {2}(aws s3 cp .*)$/m);
    expect(upload).toContain(`--endpoint-url ${secured.s3Url} `);
    const shell = (command: string) =>
      runTool(folder, 'env', ['sh', '-euc', `${printed(/^ {2}(export AWS_.*)$/m)}\n${command}`], {
        env: { AWS_CA_BUNDLE: files.cert },
      });
    await shell(upload.replace('<file>', file));
    const back = await shell(upload.replace(/<file> (\S+)/, '$1large.bin -'));
    expect(back.equals(content)).toBe(true);
  });

  test.runIf(canRun)('keeps browsers on https, with a cookie for this host only', async () => {
    await using browser = await launchChromium();
    await using context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const response = await page.goto(`${secured.url}/console`);
    expect(response?.headers()).toMatchObject({ 'strict-transport-security': 'max-age=31536000' });
    await signIn(page, { api_key: printed(/^ {2}(trib_\S+)$/m) });
    await titled(page, 'Imports');
    expect(await context.cookies()).toEqual([
      expect.objectContaining({
        name: '__Host-tributary-session',
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      }),
    ]);

    await page.goto(`${secured.url}/console/upload`);
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('id\n') }]);
    await page.getByText('Uploaded', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'sandbox' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await titled(page, 'Sign in');
    expect(await context.cookies()).toEqual([]);
  });
});
