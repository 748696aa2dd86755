import { shellWord } from '../imports/commands.ts';

/** What a partner needs to upload with any S3 client. The service returns it once. */
export interface StorageAccess {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The variables that the AWS tools and SDKs read. */
export function environmentLines(access: StorageAccess): string {
  return [
    `export AWS_ACCESS_KEY_ID=${shellWord(access.accessKeyId)}`,
    `export AWS_SECRET_ACCESS_KEY=${shellWord(access.secretAccessKey)}`,
    `export AWS_ENDPOINT_URL=${shellWord(access.endpoint)}`,
    `export AWS_REGION=${shellWord(access.region)}`,
  ].join('\n');
}

const profile = '--profile tributary';

/** Commands that store a profile for the AWS command line. */
export function profileLines(access: StorageAccess): string {
  const set = `aws configure ${profile} set`;
  return [
    `${set} aws_access_key_id ${shellWord(access.accessKeyId)}`,
    `${set} aws_secret_access_key ${shellWord(access.secretAccessKey)}`,
    `${set} endpoint_url ${shellWord(access.endpoint)}`,
    `${set} region ${shellWord(access.region)}`,
  ].join('\n');
}

/** Uploads with the variables, or with the profile. */
export function uploadLine({ bucket, prefix }: StorageAccess, from: 'shell' | 'profile'): string {
  const line = `aws s3 cp devices.csv ${shellWord(`s3://${bucket}/${prefix}`)}`;
  return from === 'shell' ? line : `${line} ${profile}`;
}
