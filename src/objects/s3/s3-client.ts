import { S3Client } from '@aws-sdk/client-s3';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Where the store is; null: where AWS has its own for the region. */
  readonly endpoint: string | null;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The bucket in the path instead of the host name, as most stores but AWS's want it. */
  readonly pathStyle: boolean;
  /** Some stores (Swift, older Ceph) refuse the checksums that AWS itself would like to have. */
  readonly checksums: 'when_supported' | 'when_required';
  readonly patience?: Partial<Patience>;
}

/** How long, and how often, before a store counts as away. */
export interface Patience {
  readonly attempts: number;
  readonly connectMs: number;
  readonly answerMs: number;
  /** How long the bytes of an object may stall. */
  readonly idleMs: number;
  /** How many connections in a row may break without having brought a byte. */
  readonly breaks: number;
  readonly breakPauseMs: number;
}

export const usualPatience: Patience = {
  attempts: 4,
  connectMs: 5_000,
  answerMs: 30_000,
  idleMs: 30_000,
  breaks: 5,
  breakPauseMs: 200,
};

/**
 * Everything that the SDK would otherwise look up in the environment, in configuration files or
 * from the machine's metadata service is said here, so that it looks nowhere.
 */
export function createS3Client(options: S3Options): S3Client {
  const { region, endpoint, credentials, pathStyle, checksums } = options;
  const patience = { ...usualPatience, ...options.patience };
  const client = new S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    ignoreConfiguredEndpointUrls: true,
    credentials: { ...credentials },
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
    maxAttempts: patience.attempts,
    requestChecksumCalculation: checksums === 'when_supported' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED',
    // The SDK checks what one connection brought; we check what all of them did together.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: patience.connectMs,
      requestTimeout: patience.answerMs,
      throwOnRequestTimeout: true,
    },
  });
  stayAtHome(client, options);
  if (checksums === 'when_supported') askForChecksums(client);
  return client;
}

const awsDomains = ['amazonaws.com', 'amazonaws.com.cn', 'amazonaws.eu'];

/** Some bucket names mean another host to the SDK. None may lead us there. */
function stayAtHome(client: S3Client, { endpoint, region }: S3Options): void {
  const homes =
    endpoint === null
      ? awsDomains.map((domain) => `s3.${region}.${domain}`)
      : [new URL(endpoint).hostname];
  client.middlewareStack.add(
    (next) => (args) => {
      const { hostname } = args.request as { hostname: string };
      if (!homes.some((home) => hostname === home || hostname.endsWith(`.${home}`))) {
        throw new Error(`a request to ${hostname} would leave ${endpoint ?? `AWS in ${region}`}`);
      }
      return next(args);
    },
    { step: 'build', name: 'stayAtHome' },
  );
}

/** The store then tells the checksums that it has, which we verify ourselves. */
function askForChecksums(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      if (context.commandName === 'GetObjectCommand') {
        const { headers } = args.request as { headers: Record<string, string> };
        headers['x-amz-checksum-mode'] = 'ENABLED';
      }
      return next(args);
    },
    { step: 'build', name: 'askForChecksums' },
  );
}
