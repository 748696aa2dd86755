import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { codeOf, messageOf } from '../domain/errors.ts';
import { unlessAborted } from '../domain/unless-aborted.ts';
import type { WebhookTargets } from '../domain/webhooks/targets.ts';
import { type Resolve, type ResolvedAddress, resolveByDns, resolveBySystem } from './resolve.ts';
import { hostOf, isPublicAddress, webhookUrlFault } from './targets.ts';

export interface PostOptions {
  readonly targets: WebhookTargets;
  readonly timeoutMs: number;
  /** By default the DNS, and for targets `any` the system's resolver, which also knows hosts without DNS. */
  readonly resolve?: Resolve;
  /** Certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
}

/** What the receiver answered, or why it did not. */
interface PostResult {
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of an answer that is an error. */
  readonly answer: string | null;
  readonly retryAfterSeconds: number | null;
}

export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<PostResult>;

/** The address must not be contacted, or has no address. */
class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
}

const answerBytes = 1_024;
const maxHeaderBytes = 16 * 1_024;

/**
 * Sends a body to an address that a partner chose. The host is resolved once, every address that is found is
 * checked, and the connection goes to one of these addresses and nowhere else. Redirects are not followed.
 */
export function createPost(options: PostOptions): Post {
  const { targets, timeoutMs } = options;
  const { resolve = targets === 'any' ? resolveBySystem : resolveByDns } = options;

  /** The addresses that may be contacted. */
  async function addressesOf(url: URL, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    const host = hostOf(url);
    const family = isIP(host);
    const addresses = family === 0 ? await resolve(host, signal) : [{ address: host, family }];
    if (addresses.length === 0) throw new TargetRefused(`${host} has no address`);
    const isRefused = addresses.some(({ address }) => !isPublicAddress(address));
    if (targets === 'public' && isRefused) {
      throw new TargetRefused(`${host} is in a private or reserved network`);
    }
    return addresses;
  }

  return async function post(address, headers, body, shutdownSignal) {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([shutdownSignal, timeout]);
    try {
      const fault = webhookUrlFault(address, targets);
      if (fault !== undefined) throw new TargetRefused(`the URL ${fault}`);
      const url = new URL(address);
      const addresses = await unlessAborted(addressesOf(url, signal), signal);
      const sent = send(url, pinned(addresses), headers, body, signal);
      const response = await unlessAborted(sent, signal);
      return await read(response, signal);
    } catch (error) {
      shutdownSignal.throwIfAborted();
      const reason = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error);
      return { status: null, error: reason, answer: null, retryAfterSeconds: null };
    }
  };

  function send(
    url: URL,
    lookup: LookupFunction,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { promise, resolve: answered, reject } = Promise.withResolvers<IncomingMessage>();
    const shared = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // A connection of its own, which goes to the addresses that were just checked.
      agent: false as const,
      lookup,
      signal,
      maxHeaderSize: maxHeaderBytes,
    };
    const request: ClientRequest =
      url.protocol === 'https:'
        ? tlsRequest(url, { ...shared, ...(options.ca === undefined ? {} : { ca: options.ca }) })
        : plainRequest(url, shared);
    request
      .on('response', answered)
      .on('upgrade', (response, socket) => {
        socket.destroy();
        answered(response);
      })
      .on('error', reject)
      // After a response, or an error, this changes nothing.
      .on('close', () => reject(new Error('the connection was closed without an answer')));
    request.end(body);
    return promise;
  }
}

/** Gives a connection these addresses, whatever the name resolves to by now. */
function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    if (all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}

async function read(response: IncomingMessage, signal: AbortSignal): Promise<PostResult> {
  const status = response.statusCode!;
  const retryAfterSeconds = parseRetryAfter(response.headers['retry-after']);
  const isError = status >= 400;
  const isText = /^(text\/|application\/([\w.-]+\+)?json\b)/i.test(
    response.headers['content-type'] ?? '',
  );
  const answer = isError && isText ? await beginning(response, signal) : null;
  response.destroy();
  return { status, error: null, answer, retryAfterSeconds };
}

/** The first bytes. An answer that breaks off is shown as far as it came. */
async function beginning(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= answerBytes) break;
    }
  } catch (error) {
    if (signal.aborted && bytes === 0) throw error;
  }
  const shown = Buffer.concat(chunks).subarray(0, answerBytes).toString();
  // PostgreSQL cannot store U+0000.
  return shown.replaceAll('\0', '\ufffd');
}

/** Seconds, or a date. */
function parseRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const seconds = (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Codes such as `ECONNREFUSED` say more than messages, some of which are empty. */
function reasonOf(error: unknown): string {
  if (error instanceof TargetRefused) return error.message;
  const { errors } = error as AggregateError;
  const one: unknown = Array.isArray(errors) ? errors[0] : error;
  const code = codeOf(one);
  const message = messageOf(one);
  return code === undefined || message.includes(code) ? message : `${code}: ${message}`.trim();
}
