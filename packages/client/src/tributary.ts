import { setTimeout as sleep } from 'node:timers/promises';
import createFetchClient, { type Client } from 'openapi-fetch';
import type { operations, paths } from './openapi.ts';
import { answerOf, eachOf, LoadFailed } from './problems.ts';
import { createRetryingFetch } from './retries.ts';
import type { StorageKeys } from './upload/multipart.ts';
import { createUpload, type UploadOptions } from './upload/upload.ts';

type Answer<Operation extends keyof operations> = operations[Operation] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;
type Body<Operation extends keyof operations> = operations[Operation] extends {
  requestBody: { content: { 'application/json': infer Request } };
}
  ? Request
  : never;

export type ImportLog = Answer<'getImportLog'>;
export type NewImport = Body<'queueImport'>;
export type AudienceDetails = Answer<'getAudience'>;
export type Audience = Answer<'listAudiences'>[number];
export type Attribute = Answer<'listAttributes'>[number];

/** Longer than any wait of the service. */
const headersTimeoutMs = 90_000;

export interface TributaryOptions {
  /** The address of the service, such as `https://tributary.example.com`. */
  readonly url: string;
  readonly apiKey: string;
  /** Acts for one customer. It applies to audiences. */
  readonly userToken?: string;
  /** Storage credentials. With them, large files are uploaded in parts that survive an interruption. */
  readonly storage?: StorageKeys;
  /** How often a request is sent again after a failure that may pass. 5 by default. */
  readonly retries?: number;
  /** The longest pause before the first retry, 500 by default. Each further one is up to twice as long. */
  readonly retryPauseMs?: number;
  readonly fetch?: typeof fetch;
}

interface WaitOptions {
  /** Ends the wait. The job itself continues. */
  readonly signal?: AbortSignal;
}

export type Tributary = ReturnType<typeof createTributary>;

/** A client of the service for partners. */
export function createTributary(options: TributaryOptions) {
  const { url, apiKey, userToken, storage, fetch = globalThis.fetch } = options;
  const { retries = 5, retryPauseMs: pauseMs = 500 } = options;
  const attempts = { retries, pauseMs, fetch };
  const api: Client<paths> = createFetchClient<paths>({
    baseUrl: url.replace(/\/+$/, ''),
    fetch: createRetryingFetch({ ...attempts, headersTimeoutMs }),
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(userToken === undefined ? {} : { 'x-user-token': userToken }),
    },
  });
  const uploadFile = createUpload({ retryingFetch: createRetryingFetch(attempts), storage });
  const wait = { Prefer: 'wait=30' };
  const pauseAfter = ({ response }: { readonly response: Response }, how: WaitOptions) =>
    sleep(pauseMsAfter(response), undefined, signalOf(how));
  const signalOf = ({ signal }: WaitOptions) => (signal ? { signal } : {});

  async function waitForImport(importLogId: number, how: WaitOptions = {}): Promise<ImportLog> {
    const path = { import_log_id: String(importLogId) };
    for (;;) {
      const call = api.GET('/v1/marketplace/import/{import_log_id}', {
        params: { path, header: wait },
        ...signalOf(how),
      });
      const log = await answerOf(call);
      if (log.status === 2) return log;
      if (log.status === 3) {
        throw new LoadFailed(failureOf(`import ${importLogId}`, log.errors), log);
      }
      await pauseAfter(await call, how);
    }
  }

  async function waitForAudience(
    audienceId: number,
    how: WaitOptions = {},
  ): Promise<AudienceDetails> {
    const path = { audience_id: String(audienceId) };
    for (;;) {
      const call = api.GET('/v2/firstparty/audience/{audience_id}', {
        params: { path, header: wait },
        ...signalOf(how),
      });
      const audience = await answerOf(call);
      if (audience.status === 2) return audience;
      if (audience.status === 3) {
        const address = '/v2/firstparty/audience/{audience_id}/errors';
        const params = { path, query: { limit: 1 } };
        const errors = await answerOf(api.GET(address, { params }));
        throw new LoadFailed(failureOf(`the load of audience ${audienceId}`, errors), audience);
      }
      await pauseAfter(await call, how);
    }
  }

  return {
    /** Every operation of partners, typed. Its calls are retried as well. */
    api,

    /** The data of a call of `api`. Throws ProblemError if it failed. */
    answerOf,

    /** Every record of a list, read page by page. */
    eachOf,

    importLogs: () =>
      eachOf((page) => api.GET('/v1/marketplace/import', { params: { query: page } })),
    attributes: () =>
      eachOf((page) =>
        api.GET('/v1/marketplace/attribute', { params: { query: { limit: 1_000, ...page } } }),
      ),
    audiences: () =>
      eachOf((page) =>
        api.GET('/v2/firstparty/audience', { params: { query: { limit: 1_000, ...page } } }),
      ),

    /**
     * Uploads a file, or bytes, to a path below your prefix. Returns the path for an import or audience. With
     * storage credentials, an upload that was interrupted continues where it stopped when it is called again.
     */
    upload: (source: string | Uint8Array, path: string, how: UploadOptions = {}): Promise<string> =>
      uploadFile(
        () => answerOf(api.POST('/v1/console/uploads', { body: { path }, ...signalOf(how) })),
        source,
        how,
      ),

    /** Queues an import and waits until it is done. Throws LoadFailed if it fails. */
    async importAndWait(request: NewImport, how: WaitOptions = {}): Promise<ImportLog> {
      const queued = await answerOf(
        api.POST('/v1/marketplace/import', { body: request, ...signalOf(how) }),
      );
      return waitForImport(queued.import_log_id, how);
    },
    waitForImport,

    /**
     * Creates an audience from files, or appends files to one, and waits until they are loaded. Throws
     * LoadFailed if a file of the audience has failed, including one of an earlier load.
     */
    async loadAudience(
      request:
        | { readonly name: string; readonly file_path: string }
        | { readonly audience_id: number; readonly file_path: string },
      how: WaitOptions = {},
    ): Promise<AudienceDetails> {
      if ('audience_id' in request) {
        const path = { audience_id: String(request.audience_id) };
        const body = { file_path: request.file_path };
        const address = '/v2/firstparty/audience/{audience_id}';
        await answerOf(api.PATCH(address, { params: { path }, body, ...signalOf(how) }));
        return waitForAudience(request.audience_id, how);
      }
      const created = await answerOf(
        api.POST('/v2/firstparty/audience', { body: request, ...signalOf(how) }),
      );
      return waitForAudience(created.audience_id, how);
    },
    waitForAudience,
  };
}

/**
 * The pause before the next wait. A service that is stopping answers at once, and one that did not wait,
 * because too many requests are waiting, leaves out the header.
 */
export function pauseMsAfter({ headers }: Response): number {
  return headers.has('preference-applied') ? 500 : 5_000 * (0.5 + Math.random());
}

function failureOf(what: string, errors: readonly { readonly message: string }[] | null): string {
  const [first] = errors ?? [];
  return first ? `${what} failed: ${first.message}` : `${what} failed`;
}
