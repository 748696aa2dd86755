import { codeOf, messageOf } from '../domain/errors.ts';
import { redactSecrets } from '../domain/redaction.ts';
import { archiveNameOf } from './file-names.ts';

/** What DROP answers to a download. */
type DownloadAnswer =
  | {
      readonly kind: 'archive';
      /** Null: the answer has no name of the form that DROP describes. */
      readonly name: string | null;
      /** Throws DropFault if the transfer is cut. */
      readonly content: AsyncIterable<Uint8Array>;
    }
  /** Nothing is new or removed since the last download. */
  | { readonly kind: 'nothing'; readonly message: string }
  /** The archive is being prepared. */
  | { readonly kind: 'preparing'; readonly seconds: number; readonly message: string }
  /** The previous download is not complete. */
  | { readonly kind: 'conflict'; readonly message: string };

/** What DROP answers to a file. */
export interface UploadAnswer {
  readonly kind: 'accepted' | 'rejected' | 'conflict';
  readonly status: number;
  readonly message: string;
}

export interface DropClient {
  download(signal: AbortSignal): Promise<DownloadAnswer>;
  send(
    operation: 'upload' | 'amend',
    file: { readonly name: string; readonly content: Uint8Array<ArrayBuffer> },
    signal: AbortSignal,
  ): Promise<UploadAnswer>;
}

/** A call failed. Only if that is temporary, the same call may be repeated. */
export class DropFault extends Error {
  override readonly name = 'DropFault';
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly isTemporary: boolean;
  /** When DROP wants to be called again. Null: it does not say. */
  readonly retrySeconds: number | null;
  /** DROP may have done what it was asked for. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    fault: {
      status: number | null;
      isTemporary: boolean;
      retrySeconds?: number | null;
      isUnsent?: boolean;
    },
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
    this.status = fault.status;
    this.isTemporary = fault.isTemporary;
    this.retrySeconds = fault.retrySeconds ?? null;
    this.mayHaveArrived = !fault.isUnsent && (fault.status === null || fault.status >= 500);
  }
}

/** There was no connection, so nothing was sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const defaultPreparingSeconds = 60;
/** Also if DROP gives no time with 429, which its descriptions disagree about. */
const defaultThrottleSeconds = 30;
const mostRetrySeconds = 24 * 60 * 60;
const mostAnswerBytes = 1024 * 1024;
const mostMessageCharacters = 500;
const sendTimeoutMs = 15 * 60 * 1000;
/** Long, because DROP may not deliver an archive again. A stalled transfer times out earlier. */
const downloadTimeoutMs = 6 * 60 * 60 * 1000;

interface CallOptions {
  readonly method?: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: FormData;
  readonly signal: AbortSignal;
}

interface Answered {
  readonly status: number;
  readonly retrySeconds: number | null;
  /** The parsed body, or undefined if it is not JSON. */
  readonly json: unknown;
  readonly message: string;
}

/** The three operations of DROP's API. The key is in one header, and in no message. */
export function createDropClient(url: string, apiKey: string): DropClient {
  return {
    async download(signal) {
      const accept = 'application/zip, application/json';
      const timeout = AbortSignal.timeout(downloadTimeoutMs);
      const response = await call('/data/download', {
        headers: { accept },
        signal: AbortSignal.any([signal, timeout]),
      });
      const type = response.headers.get('content-type') ?? '';
      // DROP delivers an archive once, so any other body with 200 is kept as if it were one.
      if (response.status === 200 && !/[/+]json/i.test(type)) {
        const name = archiveNameOf(response.headers.get('content-disposition'));
        return { kind: 'archive', name, content: transfer(response) };
      }
      const answer = await read(response);
      const { status, message, retrySeconds } = answer;
      if (status === 200) return { kind: 'nothing', message };
      if (status === 202) {
        return { kind: 'preparing', seconds: retrySeconds ?? defaultPreparingSeconds, message };
      }
      if (status === 409) return { kind: 'conflict', message };
      throw faultOf(answer);
    },

    async send(operation, { name, content }, signal) {
      const body = new FormData();
      body.append('files', new Blob([content], { type: 'text/csv' }), name);
      const timeout = AbortSignal.timeout(sendTimeoutMs);
      const response = await call(`/data/${operation}`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body,
        signal: AbortSignal.any([signal, timeout]),
      });
      const answer = await read(response);
      const { status, message } = answer;
      if (status === 409) return { kind: 'conflict', status, message };
      if (status !== 202 && status !== 400) throw faultOf(answer);
      const rejection = rejectionOf(answer.json, name);
      if (rejection !== null) return { kind: 'rejected', status, message: shortened(rejection) };
      return { kind: status === 202 ? 'accepted' : 'rejected', status, message };
    },
  };

  async function call(path: string, options: CallOptions): Promise<Response> {
    const headers = {
      ...options.headers,
      // An archive is stored as it came, and its length is checked.
      'accept-encoding': 'identity',
      'x-api-key': apiKey,
      'user-agent': 'tributary',
    };
    try {
      // A redirect would send the key elsewhere.
      return await fetch(url + path, { ...options, headers, redirect: 'manual' });
    } catch (error) {
      throw cut(error, options.signal);
    }
  }

  async function* transfer(response: Response): AsyncGenerator<Uint8Array> {
    const declared = response.headers.get('content-length');
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw cut(error, null);
    }
    if (declared !== null && Number(declared) !== bytes) {
      throw cut(new Error(`${bytes} of ${declared} bytes arrived`), null);
    }
  }

  async function read(response: Response): Promise<Answered> {
    const { status, headers } = response;
    const text = await readText(response);
    const json = parsed(text);
    const stated = memberOf(json, 'message');
    const message = shortened(typeof stated === 'string' ? stated : text.trim());
    return { status, json, message, retrySeconds: secondsOf(headers.get('retry-after')) };
  }

  async function readText(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > mostAnswerBytes) break;
      }
    } catch (error) {
      throw cut(error, null);
    }
    return Buffer.concat(chunks).toString();
  }

  /** An answer may repeat what was sent. */
  function shortened(message: string): string {
    return redactSecrets(message, [apiKey]).slice(0, mostMessageCharacters);
  }

  /** An error that the caller asked for stays as it is. */
  function cut(error: unknown, signal: AbortSignal | null): unknown {
    if (signal?.aborted && signal.reason?.name !== 'TimeoutError') return error;
    const { cause } = error as { cause?: unknown };
    // The error of several attempts to connect has a code, and no message.
    const reason = shortened(messageOf(cause ?? error) || String(codeOf(cause)));
    const isUnsent = unsentCodes.has(codeOf(cause) ?? '');
    const what = isUnsent
      ? 'DROP is unreachable'
      : 'DROP did not answer, or its answer was cut off';
    return new DropFault(
      `${what}: ${reason}`,
      { status: null, isTemporary: true, isUnsent },
      { cause: error },
    );
  }
}

const advice: Readonly<Record<number, string>> = {
  401: 'DROP rejected the API key. Issue a new one in the portal, set TRIBUTARY_DROP_API_KEY, and restart the workers',
  403: 'DROP refuses this data broker: check its account, registration, fee and selected lists in the portal',
  404: 'DROP has nothing at this address: check TRIBUTARY_DROP_URL',
};

function faultOf({ status, message, retrySeconds }: Answered): DropFault {
  const isTemporary = status === 429 || status >= 500;
  const why =
    advice[status] ??
    (isTemporary ? 'DROP is temporarily unavailable' : 'DROP refused the request');
  const text = `${why} (status ${status}${message === '' ? '' : `: ${message}`})`;
  const ownSeconds = status === 429 ? defaultThrottleSeconds : null;
  return new DropFault(text, { status, isTemporary, retrySeconds: retrySeconds ?? ownSeconds });
}

/** Why DROP did not take the file. Null if it does not name it among the rejected ones. */
function rejectionOf(json: unknown, fileName: string): string | null {
  const rejected = memberOf(json, 'rejected');
  if (!Array.isArray(rejected)) return null;
  const own = rejected.find((each) => memberOf(each, 'fileName') === fileName);
  if (own === undefined) return null;
  return String(memberOf(own, 'message') ?? 'no reason given');
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Retry-After is a number of seconds, or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header.trim())
    ? Number(header)
    : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 1), mostRetrySeconds);
}
