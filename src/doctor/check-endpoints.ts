import { lookup } from 'node:dns/promises';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Config } from '../config/config.ts';
import { messageOf } from '../domain/errors.ts';
import { type Finding, failure, ok, warning } from '../domain/finding.ts';
import { checkClock } from './check-database.ts';

const timeoutMs = 5_000;
const soonDays = 21;
const verySoonDays = 3;

/** The name, the connection and the certificate of every address in the settings. */
export async function checkEndpoints(config: Config): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(endpointsOf(config)).map(async ([setting, url]) => {
      const finding = await checkEndpoint(setting, url);
      const isStore = setting.includes('S3') && finding.level !== 'failure';
      return isStore ? [finding, ...(await checkStoreClock(setting, url))] : [finding];
    }),
  );
  return found.flat();
}

function endpointsOf(config: Config): Record<string, string> {
  const { objects, clickhouse, traces, databaseUrl, publicUrl, listenUrl, sts } = config;
  const urls: Record<string, string | null | undefined> = {
    TRIBUTARY_PUBLIC_URL: publicUrl === listenUrl ? null : publicUrl,
    DATABASE_URL: databaseUrl,
    TRIBUTARY_WAREHOUSE: clickhouse?.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: traces?.url,
    TRIBUTARY_STS_ENDPOINT: sts && (sts.endpoint ?? `https://sts.${sts.region}.amazonaws.com`),
  };
  if (objects.kind === 's3') {
    urls.TRIBUTARY_S3_ENDPOINT = objects.endpoint ?? `https://s3.${objects.region}.amazonaws.com`;
    if (objects.publicUrl !== objects.endpoint) urls.TRIBUTARY_S3_PUBLIC_URL = objects.publicUrl;
  }
  for (const [region, url] of Object.entries(config.partnerS3Endpoints)) {
    urls[`TRIBUTARY_PARTNER_S3_ENDPOINTS ${region}`] = url;
  }
  const given = Object.entries(urls).filter((entry): entry is [string, string] => !!entry[1]);
  // A socket has neither a name nor a certificate.
  return Object.fromEntries(given.filter(([, url]) => !new URL(url).searchParams.has('host')));
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const postgresPort = 5432;

async function checkEndpoint(setting: string, url: string): Promise<Finding> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = { host, port: Number(port) || (defaultPorts[protocol] ?? postgresPort) };
  const place = `${host}:${at.port}`;
  try {
    await lookup(host);
  } catch (error) {
    const found = `the name ${host} cannot be resolved: ${messageOf(error)}`;
    return failure(setting, found, 'Correct the setting, or the DNS of this machine.');
  }
  try {
    if (protocol !== 'https:') {
      await answered(connectTcp(at), 'connect');
      return ok(setting, `${place} accepts connections`);
    }
    return certificateFinding(setting, place, await certificateEnd(at));
  } catch (error) {
    const advice =
      'Check that the server runs, and check the firewall. For a TLS error, check the certificate.';
    return failure(setting, `${place}: ${messageOf(error)}`, advice);
  }
}

interface Socket {
  setTimeout(ms: number, callback: () => void): unknown;
  once(event: string, callback: (error: Error) => void): unknown;
  destroy(error?: Error): unknown;
}

/** Waits for the event. Closes the socket if it does not come. */
async function answered(socket: Socket, event: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once(event, () => resolve());
  });
  if (event === 'connect') socket.destroy();
}

/** When the certificate expires. Throws if it is not valid for the host. */
async function certificateEnd(at: { host: string; port: number }): Promise<Date> {
  const socket = connectTls({ ...at, servername: at.host });
  await answered(socket, 'secureConnect');
  const end = new Date(socket.getPeerCertificate().valid_to);
  socket.destroy();
  return end;
}

export function certificateFinding(setting: string, place: string, end: Date): Finding {
  const days = Math.floor((end.getTime() - Date.now()) / (24 * 60 * 60 * 1000));
  const found = `the certificate of ${place} is valid for ${days} more days`;
  if (days > soonDays) return ok(setting, found);
  const advice = 'Renew the certificate.';
  return days > verySoonDays ? warning(setting, found, advice) : failure(setting, found, advice);
}

/** S3 refuses requests if the clocks differ by 15 minutes. */
async function checkStoreClock(setting: string, url: string): Promise<Finding[]> {
  const begun = Date.now();
  const response = await fetch(url, {
    method: 'HEAD',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => undefined);
  const date = Date.parse(response?.headers.get('date') ?? '');
  if (Number.isNaN(date)) return [];
  // The header has whole seconds, so half a second is the best guess.
  const ours = (begun + Date.now()) / 2;
  return [checkClock('clock', (date + 500 - ours) / 1000, setting)];
}
