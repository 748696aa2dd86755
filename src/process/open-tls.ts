import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setInterval } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import type { TlsFiles } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { messageOf } from '../domain/errors.ts';
import type { Certificate, Tls } from '../domain/tls.ts';

/** Polled, because certbot and Kubernetes replace links to the files, and such a change raises no event. */
const checkEveryMs = 5_000;

/** Reads the certificate and its key, and reads them again when they change, until disposed. */
export async function openTls(
  files: TlsFiles,
  log: Logger,
  everyMs = checkEveryMs,
): Promise<Tls & Disposable> {
  const followers: Parameters<Tls['follow']>[0][] = [];
  let current = await readCertificate(files, log);
  let lastProblem: string | undefined;

  async function reload(): Promise<void> {
    const found = await readCertificate(files, log, current);
    lastProblem = undefined;
    if (found === current) return;
    current = found;
    for (const server of followers) server.setSecureContext(found);
  }

  function onProblem(error: unknown): void {
    const reason = messageOf(error);
    // For a moment the two files may not belong together. The old certificate stays in use.
    if (reason !== lastProblem) log.warn({ reason }, 'certificate not reloaded');
    lastProblem = reason;
  }

  const closed = new AbortController();
  async function keepCurrent(): Promise<void> {
    const options = { ref: false, signal: closed.signal };
    for await (const _ of setInterval(everyMs, undefined, options)) await reload().catch(onProblem);
  }
  // Rejects when disposed.
  keepCurrent().catch(() => {});

  return {
    current: () => current,
    follow: (server) => void followers.push(server),
    [Symbol.dispose]: () => closed.abort(),
  };
}

/** Returns the known certificate if the files still have it. Throws if the files cannot be used. */
async function readCertificate(
  files: TlsFiles,
  log: Logger,
  known?: Certificate,
): Promise<Certificate> {
  const cert = await readPem('TRIBUTARY_TLS_CERT', files.cert);
  const key = await readPem('TRIBUTARY_TLS_KEY', files.key);
  if (cert === known?.cert && key === known.key) return known;
  const leaf = parse(`TRIBUTARY_TLS_CERT ${files.cert} is not a certificate in PEM form`, () => {
    createSecureContext({ cert });
    return new X509Certificate(cert);
  });
  const privateKey = parse<KeyObject>(
    `TRIBUTARY_TLS_KEY ${files.key} is not a private key in PEM form without a passphrase`,
    () => createPrivateKey(key),
  );
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      `TRIBUTARY_TLS_KEY ${files.key} does not belong to the certificate in TRIBUTARY_TLS_CERT ${files.cert}`,
    );
  }
  log.info({ subject: leaf.subject, expires: leaf.validToDate }, 'certificate loaded');
  return { cert, key };
}

async function readPem(setting: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause) => {
    throw new ConfigError(`${setting} ${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
}

function parse<T>(problem: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ConfigError(problem, { cause });
  }
}
