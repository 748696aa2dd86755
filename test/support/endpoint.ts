import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { createLogger } from '../../src/config/logger.ts';
import { type DiskStore, openDiskStore } from '../../src/objects/disk/disk-store.ts';
import { createEndpoint, type EndpointOptions } from '../../src/objects/endpoint/endpoint.ts';
import { createSigner, type Signer } from '../../src/objects/endpoint/signing/signer.ts';
import { canonicalQuery, parseTarget } from '../../src/objects/endpoint/wire/target.ts';
import { createAccess } from '../../src/records/access/access.ts';
import { type AuditLog, createAuditLog } from '../../src/records/access/audit-log.ts';
import { createPartners } from '../../src/records/access/partners.ts';
import {
  type AccessKeys,
  createStorageCredentials,
} from '../../src/records/access/storage-credentials.ts';
import { createSealing } from '../../src/records/database/sealing.ts';
import { createObjectIndex } from '../../src/records/objects/object-index.ts';
import { createUploads } from '../../src/records/objects/uploads.ts';
import { bytesOf } from './blobs.ts';
import { freshRecords } from './database.ts';
import { openGuard } from './guesses.ts';

export const bucket = 'tributary';
const region = 'us-east-1';
export const corsOrigin = 'https://console.example.com';

export interface TestEndpoint extends AsyncDisposable {
  readonly url: string;
  readonly store: DiskStore;
  readonly storeDir: string;
  /** Everything logged so far. */
  readonly logged: string[];
  readonly auditLog: AuditLog;
  partner(): Promise<UploadingPartner>;
}

export interface UploadingPartner extends AccessKeys {
  readonly prefix: string;
  readonly s3: S3Client;
  /** Another client with the same keys. */
  client(config?: S3ClientConfig): S3Client;
  revoke(): Promise<unknown>;
  setDisabled(isDisabled: boolean): Promise<unknown>;
  /** Sets how many bytes it may store. */
  quota(bytes: number | null): Promise<void>;
  /** Signs a request and sends it unchanged, without the checks of a client. */
  send(method: string, target: string, options?: RequestOptions): Promise<RawAnswer>;
}

export interface RequestOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** The time of signing; now by default. */
  readonly at?: Date;
  readonly region?: string;
  readonly secretAccessKey?: string;
  /** Headers that are sent but not signed. */
  readonly unsigned?: readonly string[];
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The S3 error code of the response, if any. */
  readonly code: string | undefined;
}

/** The endpoint with a new store and database, on a free port. */
export async function startTestEndpoint(
  now?: () => Date,
  guard = openGuard(),
  limited: Pick<EndpointOptions, 'limits' | 'timeouts'> = {},
): Promise<TestEndpoint> {
  const resources = new AsyncDisposableStack();
  const { db } = resources.use(await freshRecords());
  const folder = await mkdtemp(join(tmpdir(), 'tributary-endpoint-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const storeDir = join(folder, 'objects');
  const store = await openDiskStore(storeDir, createObjectIndex(db), createUploads(db));
  const credentials = createStorageCredentials(db, createSealing(['a secret key of the tests']));
  const partners = createPartners(db);
  const access = createAccess(db);
  const logged: string[] = [];
  const write = (line: string) => logged.push(line);
  const endpoint = createEndpoint({
    guard,
    store,
    credentials,
    bucket,
    region,
    corsOrigin,
    log: createLogger({ level: 'debug', role: 'api', secrets: [], write }),
    ...(now && { now }),
    ...limited,
  });
  const { port } = resources.use(await endpoint.listen('127.0.0.1', 0));
  const url = `http://127.0.0.1:${port}`;

  return {
    url,
    store,
    storeDir,
    logged,
    auditLog: createAuditLog(db),
    async partner() {
      const { partnerId, prefix } = await partners.create('acme');
      const keys = await credentials.create(partnerId);
      const client = (config: S3ClientConfig = {}) => {
        const s3 = new S3Client({
          endpoint: url,
          region,
          credentials: keys,
          forcePathStyle: true,
          maxAttempts: 1,
          ...config,
        });
        resources.defer(() => s3.destroy());
        return s3;
      };
      return {
        ...keys,
        prefix,
        s3: client(),
        client,
        quota: (bytes) => partners.setStorageQuota(partnerId, bytes),
        setDisabled: (isDisabled) =>
          access[isDisabled ? 'disable' : 'enable']({ kind: 'partner', id: partnerId }),
        revoke: () => credentials.revoke(partnerId, keys.accessKeyId),
        send: (method, target, options = {}) => {
          const { headers } = signRequest(url, keys, method, target, options);
          return sendRaw(url, method, target, headers, options.body);
        },
      };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The headers of a signed request, and the seed for the signatures of its chunks. */
export function signRequest(
  url: string,
  keys: AccessKeys,
  method: string,
  target: string,
  options: RequestOptions = {},
): { headers: Record<string, string>; signer: Signer; signature: string } {
  const timestamp = (options.at ?? new Date()).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = {
    date: timestamp.slice(0, 8),
    region: options.region ?? region,
    service: 's3',
  };
  const sent: Record<string, string> = {
    host: new URL(url).host,
    'x-amz-date': timestamp,
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    ...options.headers,
  };
  const { canonicalPath, parameters } = parseTarget(target, '', bucket);
  const signedHeaders = Object.entries(sent)
    .filter(([name]) => !options.unsigned?.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const signer = createSigner(options.secretAccessKey ?? keys.secretAccessKey, timestamp, scope);
  const signature = signer.signRequest({
    method,
    path: canonicalPath,
    query: canonicalQuery(parameters),
    headers: signedHeaders,
    payloadHash: sent['x-amz-content-sha256'] ?? '',
  });
  const names = signedHeaders.map(([name]) => name).join(';');
  const credential = `${keys.accessKeyId}/${scope.date}/${scope.region}/s3/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { headers: { authorization, ...sent }, signer, signature };
}

/** Sends the target and headers unchanged. */
export function sendRaw(
  url: string,
  method: string,
  target: string,
  headers: Record<string, string>,
  body: string | Uint8Array = '',
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: target, headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => readAnswer(response).then(resolve, reject));
    outgoing.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  const text = (await bytesOf(response)).toString();
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    code: /<Error>.*<Code>(\w+)<\/Code>/s.exec(text)?.[1],
  };
}
