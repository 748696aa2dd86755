import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool } from '../acceptance/s3-clients/storage-client.ts';
import { type Service, startService, temporaryFolder } from '../acceptance/service.ts';
import { createCertificate } from '../support/certificate.ts';
import { machineHas } from '../support/requirements.ts';
import { launchChromium } from './support/browser.ts';
import { buildConsole } from './support/built-console.ts';
import { titled } from './support/looking.ts';
import { signIn } from './support/sign-in-form.ts';

describe.runIf(machineHas('chromium', 'aws', 'openssl'))('a service with a certificate', () => {
  let running: AsyncDisposableStack;
  let folder: string;
  let files: { cert: string; key: string };
  let service: Service;
  beforeAll(async () => {
    await using starting = new AsyncDisposableStack();
    folder = starting.use(await temporaryFolder()).path;
    files = await createCertificate(folder);
    await buildConsole();
    const env = { TRIBUTARY_TLS_CERT: files.cert, TRIBUTARY_TLS_KEY: files.key };
    service = starting.use(await startService({ dataDir: join(folder, 'data'), env }));
    running = starting.move();
  });
  afterAll(() => running?.disposeAsync());

  const printed = (line: RegExp) => line.exec(service.printed())?.[1] ?? '';

  test('takes uploads of the aws cli over https, whole and in parts', async () => {
    const file = join(folder, 'large.bin');
    const content = randomBytes(20_000_000);
    await writeFile(file, content);
    const upload = printed(/^ {2}(aws s3 cp .*)$/m);
    expect(upload).toContain(`--endpoint-url ${service.s3Url} `);
    const shell = (command: string) =>
      runTool(folder, 'env', ['sh', '-euc', `${printed(/^ {2}(export AWS_.*)$/m)}\n${command}`], {
        env: { AWS_CA_BUNDLE: files.cert },
      });
    await shell(upload.replace('<file>', file));
    const back = await shell(upload.replace(/<file> (\S+)/, '$1large.bin -'));
    expect(back.equals(content)).toBe(true);
  });

  test('keeps browsers on https, with a cookie for this host only', async () => {
    await using browser = await launchChromium();
    await using context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const response = await page.goto(`${service.url}/console`);
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

    await page.goto(`${service.url}/console/upload`);
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
