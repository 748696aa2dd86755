import { S3Client } from '@aws-sdk/client-s3';
import { type AccessKeys, type StorageErrorClass, StorageFault } from '../port.ts';
import { errorClassOf } from './error-class.ts';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** The store's URL; null for AWS's own endpoint of the region. */
  readonly endpoint: string | null;
  /** Fixed keys, or a function that returns keys. It is called again shortly before they expire. */
  readonly credentials: AccessKeys | (() => Promise<ExpiringKeys>);
  /** Puts the bucket into the path instead of the host name, as most stores except AWS expect. */
  readonly pathStyle: boolean;
  /** Some stores (Swift, older Ceph) refuse the checksums that AWS recommends. */
  readonly checksums: 'when_supported' | 'when_required';
  readonly retryPolicy?: Partial<RetryPolicy>;
  /** Called for every request that fails, also if it is tried again. */
  readonly onError?: ((error: StorageErrorClass) => void) | undefined;
}

export interface ExpiringKeys extends AccessKeys {
  readonly expiration: Date;
}

/** Timeouts and retries before a store counts as unavailable. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly connectMs: number;
  readonly answerMs: number;
  /** How long a download may stall. */
  readonly idleMs: number;
  /** How many connections in a row may break without delivering a byte. */
  readonly breaks: number;
  readonly breakPauseMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 4,
  connectMs: 5_000,
  answerMs: 30_000,
  idleMs: 30_000,
  breaks: 5,
  breakPauseMs: 200,
};

/** Each file that is read ahead holds a connection. A request that waits for one counts as a failed connect. */
const maxSockets = 10_000;

/**
 * Sets every option explicitly, so that the SDK reads nothing from the environment, configuration files
 * or the machine's metadata service.
 */
export function createS3Client(options: S3Options): S3Client {
  const { region, endpoint, credentials, pathStyle, checksums } = options;
  const retryPolicy = { ...defaultRetryPolicy, ...options.retryPolicy };
  const client = new S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    ignoreConfiguredEndpointUrls: true,
    credentials: typeof credentials === 'function' ? credentials : { ...credentials },
    forcePathStyle: pathStyle,
    followRegionRedirects: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    authSchemePreference: ['sigv4'],
    sigv4aSigningRegionSet: [region],
    userAgentAppId: 'tributary',
    defaultsMode: 'standard',
    retryMode: 'standard',
    maxAttempts: retryPolicy.attempts,
    requestChecksumCalculation: checksums === 'when_supported' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED',
    // The SDK would check each connection; we check the whole object over all connections.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: retryPolicy.connectMs,
      requestTimeout: retryPolicy.answerMs,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
    },
  });
  forbidOtherHosts(client, options);
  if (checksums === 'when_supported') requestChecksums(client);
  if (options.onError) reportErrors(client, options.onError);
  return client;
}

const awsDomains = ['amazonaws.com', 'amazonaws.com.cn', 'amazonaws.eu'];

/** The SDK maps some bucket names to other hosts. Requests to those are refused, as the partner's error. */
function forbidOtherHosts(client: S3Client, { bucket, endpoint, region }: S3Options): void {
  const allowedHosts =
    endpoint === null
      ? awsDomains.map((domain) => `s3.${region}.${domain}`)
      : [new URL(endpoint).hostname];
  client.middlewareStack.add(
    (next) => (args) => {
      const { hostname } = args.request as { hostname: string };
      if (!allowedHosts.some((home) => hostname === home || hostname.endsWith(`.${home}`))) {
        throw new StorageFault(
          'no_such_bucket',
          `The bucket ${bucket} is not an ordinary bucket in the region ${region}: its name stands for another host, which the service does not connect to.`,
        );
      }
      return next(args);
    },
    { step: 'build', name: 'forbidOtherHosts' },
  );
}

/** In the step that runs once for each attempt. */
function reportErrors(client: S3Client, onError: (error: StorageErrorClass) => void): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const found = errorClassOf(error);
        if (found) onError(found);
        throw error;
      }
    },
    { step: 'deserialize', priority: 'high', name: 'reportErrors' },
  );
}

/** Makes the store return its checksums, which we verify ourselves. */
function requestChecksums(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      if (context.commandName === 'GetObjectCommand') {
        const { headers } = args.request as { headers: Record<string, string> };
        headers['x-amz-checksum-mode'] = 'ENABLED';
      }
      return next(args);
    },
    { step: 'build', name: 'requestChecksums' },
  );
}
