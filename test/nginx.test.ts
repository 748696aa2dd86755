import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createCertificate } from './support/certificate.ts';
import { freePort } from './support/free-port.ts';
import { machineHas } from './support/requirements.ts';

const run = promisify(execFile);

/** As Debian's nginx includes it, with a certificate and ports that exist here. */
test.runIf(machineHas('nginx', 'openssl'))('nginx accepts deploy/nginx.conf', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-nginx-'));
  const { cert, key } = await createCertificate(folder);
  const ports = { '80': await freePort(), '443': await freePort() };
  const text = await readFile(join(import.meta.dirname, '../deploy/nginx.conf'), 'utf8');
  const site = text
    .replace(/(?<=ssl_certificate )\S+(?=;)/, cert)
    .replace(/(?<=ssl_certificate_key )\S+(?=;)/, key)
    .replace(/^ *listen \[::\].*$/gm, '')
    .replace(/(?<=listen )(80|443)/g, (port) => `127.0.0.1:${ports[port as '80' | '443']}`);
  await writeFile(join(folder, 'site.conf'), site);
  const main = join(folder, 'nginx.conf');
  const http = `ssl_protocols TLSv1.2; access_log off; include ${folder}/site.conf;`;
  await writeFile(main, `pid ${folder}/pid; error_log stderr; events {} http { ${http} }`);
  const { stderr } = await run('/usr/sbin/nginx', ['-t', '-c', main, '-p', folder]);
  expect(stderr).toContain('test is successful');
  expect(stderr).not.toMatch(/\[(warn|emerg)\]/);
  await rm(folder, { recursive: true });
});
