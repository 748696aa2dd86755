import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTls } from '../../../src/process/open-tls.ts';
import { canCertify, createCertificate } from '../../support/certificate.ts';

describe.runIf(canCertify)('the certificate of the servers', () => {
  let folder: string;
  let first: { cert: string; key: string };
  let second: { cert: string; key: string };
  const quiet = pino({ level: 'silent' });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-tls-'));
    first = await createCertificate(folder, 'first');
    second = await createCertificate(folder, 'second');
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('is replaced in a running server once both files have changed', async () => {
    const files = { cert: join(folder, 'used.crt'), key: join(folder, 'used.key') };
    await copyFile(first.cert, files.cert);
    await copyFile(first.key, files.key);
    const logged: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => logged.push(line) });
    using tls = await openTls(files, log, 10);
    const server = createServer(tls.current(), (_request, response) => response.end());
    tls.follow(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await subjectAt(port)).toBe('CN=first');

    await replaceBy(second.cert, files.cert);
    await expect.poll(() => logged.join('')).toContain('does not belong to the certificate');
    expect(await subjectAt(port)).toBe('CN=first');
    await replaceBy(second.key, files.key);
    await expect.poll(() => subjectAt(port)).toBe('CN=second');
    const events = logged.map((line) => JSON.parse(line).msg);
    expect(events).toEqual([
      'certificate loaded',
      'certificate not reloaded',
      'certificate loaded',
    ]);
    await new Promise((resolve) => server.close(resolve));
  });

  test('is refused with the name of the setting if it cannot be used', async () => {
    const missing = join(folder, 'missing.pem');
    const nonsense = join(folder, 'nonsense.pem');
    await writeFile(nonsense, 'nonsense');
    const refusal = (files: { cert: string; key: string }) => expect(openTls(files, quiet)).rejects;
    await refusal({ ...first, cert: missing }).toThrow(
      `TRIBUTARY_TLS_CERT ${missing} cannot be read: ENOENT`,
    );
    await refusal({ ...first, cert: nonsense }).toThrow(
      `TRIBUTARY_TLS_CERT ${nonsense} is not a certificate`,
    );
    await refusal({ ...first, key: nonsense }).toThrow(
      `TRIBUTARY_TLS_KEY ${nonsense} is not a private key`,
    );
    await refusal({ ...first, key: second.key }).toThrow(
      `TRIBUTARY_TLS_KEY ${second.key} does not belong to the certificate in TRIBUTARY_TLS_CERT ${first.cert}`,
    );
  });

  /** At once, so that no half of a file is read. */
  async function replaceBy(file: string, target: string): Promise<void> {
    await copyFile(file, `${target}.new`);
    await rename(`${target}.new`, target);
  }

  /** The subject of the certificate that the server presents to a new connection. */
  async function subjectAt(port: number): Promise<string> {
    const ca = await Promise.all([first, second].map(({ cert }) => readFile(cert, 'utf8')));
    const socket = connect({ port, host: '127.0.0.1', ca });
    await once(socket, 'secureConnect');
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    return new X509Certificate(raw).subject;
  }
});
