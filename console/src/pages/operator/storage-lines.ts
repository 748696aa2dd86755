/** What a partner needs to upload with any S3 client, as the service shows it once. */
export interface StorageAccess {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** For a shell: the variables that the AWS tools and SDKs read. */
export function environmentLines(access: StorageAccess): string {
  return [
    `export AWS_ACCESS_KEY_ID=${quoted(access.accessKeyId)}`,
    `export AWS_SECRET_ACCESS_KEY=${quoted(access.secretAccessKey)}`,
    `export AWS_ENDPOINT_URL=${quoted(access.endpoint)}`,
    `export AWS_REGION=${quoted(access.region)}`,
  ].join('\n');
}

/** For good: a profile of the AWS command line. */
export function profileLines(access: StorageAccess): string {
  const set = 'aws configure --profile tributary set';
  return [
    `${set} aws_access_key_id ${quoted(access.accessKeyId)}`,
    `${set} aws_secret_access_key ${quoted(access.secretAccessKey)}`,
    `${set} endpoint_url ${quoted(access.endpoint)}`,
    `${set} region ${quoted(access.region)}`,
  ].join('\n');
}

export function uploadLine({ bucket, prefix }: StorageAccess): string {
  return `aws s3 cp devices.csv ${quoted(`s3://${bucket}/${prefix}`)}`;
}

/** As one word of a shell, whatever characters a key of another store has. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
