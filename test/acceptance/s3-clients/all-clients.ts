import { machineHas } from '../../support/requirements.ts';
import { awsCli } from './aws-cli.ts';
import { awsSdk } from './aws-sdk.ts';
import { boto3 } from './boto3.ts';
import { rclone } from './rclone.ts';
import { s3cmd } from './s3cmd.ts';
import type { StorageClient } from './storage-client.ts';

/** The clients installed on this machine, each with its name. */
export function availableClients(): [name: string, client: StorageClient][] {
  return [awsCli, s3cmd, rclone, boto3, awsSdk]
    .filter(({ needs }) => machineHas(...needs))
    .map((client) => [client.name, client]);
}
