import { type Answer, type Call, owner, type Site, xmlAnswer } from '../call/call.ts';
import { S3Error, type S3ErrorCode } from '../wire/s3-error.ts';
import type { XmlElement } from '../wire/xml.ts';

export async function listBuckets(_call: Call, { bucket, region }: Site): Promise<Answer> {
  return xmlAnswer('ListAllMyBucketsResult', {
    Owner: owner,
    Buckets: {
      Bucket: { Name: bucket, CreationDate: '2024-01-01T00:00:00.000Z', BucketRegion: region },
    },
  });
}

export async function headBucket(_call: Call, { region }: Site): Promise<Answer> {
  return { status: 200, headers: { 'x-amz-bucket-region': region } };
}

/** Clients make sure of a bucket by creating it, and take this for a yes. */
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

/** What clients look for in a bucket, or of an object, and what S3 says where it was never set. */
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

export async function getBucketSetting(call: Call, { region }: Site): Promise<Answer> {
  // The one region that S3 does not name is its first.
  const location = region === 'us-east-1' ? {} : { '#text': region };
  return readSetting(call, { ...bucketSettings, location: ['LocationConstraint', location] });
}

export async function getObjectSetting(call: Call, { store }: Site): Promise<Answer> {
  if (!(await store.stat(call.key))) throw new S3Error('NoSuchKey', undefined, { Key: call.key });
  return readSetting(call, objectSettings);
}

function readSetting({ parameters }: Call, settings: typeof bucketSettings): Answer {
  const name = Object.keys(settings).find((known) => parameters.has(known));
  const setting = name === undefined ? 'NotImplemented' : settings[name];
  if (typeof setting === 'object') return xmlAnswer(...setting);
  throw new S3Error(setting ?? 'NotImplemented');
}
