import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineHas } from './requirements.ts';

const run = promisify(execFile);

export const canCertify = machineHas('openssl');

/** Files with a certificate for this machine, which signs itself, and its key. */
export async function createCertificate(
  folder: string,
  name = 'service',
): Promise<{ cert: string; key: string }> {
  const files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const output = ['-keyout', files.key, '-out', files.cert];
  await run('openssl', ['req', '-x509', ...key, '-days', '2', ...names, ...output]);
  return files;
}
