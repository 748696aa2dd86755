import { AssumeRoleCommand, STSClient, STSServiceException } from '@aws-sdk/client-sts';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import {
  type AccessKeys,
  type AssumableRole,
  type StorageErrorClass,
  StorageFault,
} from '../port.ts';
import { defaultRetryPolicy, type ExpiringKeys } from './s3-client.ts';
import { isNetworkFault, plainCode, transientErrors, transientStatuses } from './s3-faults.ts';

/** The service's own identity, with which it assumes roles of partners. */
export interface RoleAssumer extends AccessKeys {
  /** The ARN of that identity. Trust policies name it. */
  readonly principal: string;
  readonly region: string;
  /** The URL of STS; null for AWS's own endpoint of the region. */
  readonly endpoint: string | null;
}

/** Keys of the role that can only read this bucket, for an hour. Throws StorageFault if STS refuses them, and `unavailable` in an outage. */
export async function assumeRole(
  assumer: RoleAssumer,
  role: AssumableRole,
  bucket: string,
  onError: (error: StorageErrorClass) => void = () => {},
): Promise<ExpiringKeys> {
  const client = createStsClient(assumer);
  const command = new AssumeRoleCommand({
    RoleArn: role.roleArn,
    ExternalId: role.externalId,
    RoleSessionName: 'tributary',
    Policy: JSON.stringify(readingPolicy(role.roleArn, bucket)),
  });
  try {
    const { Credentials: keys } = await client.send(command);
    if (!keys?.AccessKeyId || !keys.SecretAccessKey || !keys.SessionToken || !keys.Expiration) {
      throw new Error(`STS returned no keys for the role ${role.roleArn}`);
    }
    return {
      accessKeyId: keys.AccessKeyId,
      secretAccessKey: keys.SecretAccessKey,
      sessionToken: keys.SessionToken,
      expiration: keys.Expiration,
    };
  } catch (error) {
    throw translateStsError(error, assumer, role, onError);
  } finally {
    client.destroy();
  }
}

/** What the keys may do, of what the role may do. Objects may be encrypted with keys of KMS. */
function readingPolicy(roleArn: string, bucket: string) {
  const [, partition] = roleArn.split(':');
  const arn = `arn:${partition}:s3:::${bucket}`;
  const throughS3 = { StringLike: { 'kms:ViaService': 's3.*.amazonaws.com*' } };
  return {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: 's3:ListBucket', Resource: arn },
      { Effect: 'Allow', Action: 's3:GetObject', Resource: `${arn}/*` },
      { Effect: 'Allow', Action: 'kms:Decrypt', Resource: '*', Condition: throughS3 },
    ],
  };
}

/** Sets every option explicitly, as the client for S3 does. */
function createStsClient({ principal: _, region, endpoint, ...credentials }: RoleAssumer) {
  return new STSClient({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    ignoreConfiguredEndpointUrls: true,
    credentials,
    useGlobalEndpoint: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    authSchemePreference: ['sigv4'],
    userAgentAppId: 'tributary',
    defaultsMode: 'standard',
    retryMode: 'standard',
    maxAttempts: defaultRetryPolicy.attempts,
    requestHandler: {
      connectionTimeout: defaultRetryPolicy.connectMs,
      requestTimeout: defaultRetryPolicy.answerMs,
      throwOnRequestTimeout: true,
    },
  });
}

/** STS refuses the service's own keys, so no partner can do anything about it. */
const errorsOfTheService = new Set([
  'ExpiredToken',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'RegionDisabledException',
  'SignatureDoesNotMatch',
]);

/** Partners read the messages, so they must not reveal the operator's endpoint. */
function translateStsError(
  error: unknown,
  { principal }: RoleAssumer,
  { roleArn, externalId }: AssumableRole,
  onError: (error: StorageErrorClass) => void,
): unknown {
  if (!(error instanceof STSServiceException)) {
    if (!isNetworkFault(error)) return error;
    onError('network');
    return unavailable(`STS is unavailable: ${codeOf(error) ?? error.name}.`);
  }
  const name = plainCode(error.name.replace(/Exception$/, ''));
  const status = error.$metadata.httpStatusCode ?? 0;
  if (status >= 500 || transientStatuses.has(status) || transientErrors.has(error.name)) {
    onError('server');
    return unavailable(`STS is unavailable: ${status} ${name}.`);
  }
  onError('denied');
  if (errorsOfTheService.has(error.name)) {
    return unavailable(`STS refused the service's own AWS keys (${name}). Tell the operator.`);
  }
  return new StorageFault(
    'access_denied',
    `The service may not assume the role ${roleArn} (${name}). Its trust policy must allow sts:AssumeRole to the principal ${principal} with the external ID ${externalId}.`,
    { cause: error },
  );

  function unavailable(why: string): TributaryError {
    const message = `The role ${roleArn} could not be assumed: ${why}`;
    return new TributaryError('unavailable', message, { cause: error });
  }
}
