import { type Answer, type BucketContext, type Call, owner, xmlAnswer } from '../call/call.ts';
import { S3Error, type S3ErrorCode } from '../wire/s3-error.ts';
import type { XmlElement } from '../wire/xml.ts';

export async function listBuckets(_call: Call, { bucket, region }: BucketContext): Promise<Answer> {
  return xmlAnswer('ListAllMyBucketsResult', {
    Owner: owner,
    Buckets: {
      Bucket: { Name: bucket, CreationDate: '2024-01-01T00:00:00.000Z', BucketRegion: region },
    },
  });
}

export async function headBucket(_call: Call, { region }: BucketContext): Promise<Answer> {
  return { status: 200, headers: { 'x-amz-bucket-region': region } };
}

/** Some clients create the bucket to ensure that it exists, and accept this error. */
export async function createBucket(): Promise<Answer> {
  throw new S3Error('BucketAlreadyOwnedByYou');
}

const acl: XmlElement = {
  Owner: owner,
  AccessControlList: {
    Grant: {
      Grantee: {
        '@_xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
        '@_xsi:type': 'CanonicalUser',
        ...owner,
      },
      Permission: 'FULL_CONTROL',
    },
  },
};

/** Settings that clients read, with S3's response when they were never set. */
const bucketSettings: Readonly<Record<string, S3ErrorCode | [root: string, XmlElement]>> = {
  accelerate: ['AccelerateConfiguration', {}],
  acl: ['AccessControlPolicy', acl],
  cors: 'NoSuchCORSConfiguration',
  encryption: 'ServerSideEncryptionConfigurationNotFoundError',
  lifecycle: 'NoSuchLifecycleConfiguration',
  logging: ['BucketLoggingStatus', {}],
  notification: ['NotificationConfiguration', {}],
  'object-lock': 'ObjectLockConfigurationNotFoundError',
  ownershipControls: 'OwnershipControlsNotFoundError',
  policy: 'NoSuchBucketPolicy',
  policyStatus: 'NoSuchBucketPolicy',
  publicAccessBlock: 'NoSuchPublicAccessBlockConfiguration',
  replication: 'ReplicationConfigurationNotFoundError',
  requestPayment: ['RequestPaymentConfiguration', { Payer: 'BucketOwner' }],
  tagging: 'NoSuchTagSet',
  versioning: ['VersioningConfiguration', {}],
  website: 'NoSuchWebsiteConfiguration',
};

const objectSettings: typeof bucketSettings = {
  acl: ['AccessControlPolicy', acl],
  'legal-hold': 'NoSuchObjectLockConfiguration',
  retention: 'NoSuchObjectLockConfiguration',
  tagging: ['Tagging', { TagSet: {} }],
};

export async function getBucketSetting(call: Call, { region }: BucketContext): Promise<Answer> {
  // S3 returns an empty location for us-east-1.
  const location = region === 'us-east-1' ? {} : { '#text': region };
  return readSetting(call, { ...bucketSettings, location: ['LocationConstraint', location] });
}

export async function getObjectSetting(call: Call, { store }: BucketContext): Promise<Answer> {
  if (!(await store.stat(call.key))) throw new S3Error('NoSuchKey', undefined, { Key: call.key });
  return readSetting(call, objectSettings);
}

function readSetting({ parameters }: Call, settings: typeof bucketSettings): Answer {
  const name = Object.keys(settings).find((known) => parameters.has(known));
  const setting = name === undefined ? 'NotImplemented' : settings[name];
  if (typeof setting === 'object') return xmlAnswer(...setting);
  throw new S3Error(setting ?? 'NotImplemented');
}
