import { type Command, Option } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { AddAction } from './add-action.ts';
import { watchToEnd } from './logs-command.ts';

interface ImportOptions {
  readonly keyType: '0' | '1';
  readonly compressed?: boolean;
  readonly mode: 'merge' | 'replace';
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
  readonly roleArn?: string;
  readonly region?: string;
}

export function addImportCommand(command: Command, addAction: AddAction): void {
  command
    .addOption(
      new Option(
        '--key-type <type>',
        'how the file names attributes: 0 = attribute_id, 1 = partner_foreign_key',
      )
        .choices(['0', '1'])
        .default('1'),
    )
    .option('--compressed', 'the files are gzip (default: detected from their content)')
    .option('--no-compressed', 'the files are not compressed')
    .addOption(
      new Option('--mode <mode>', 'replace: afterwards the attributes hold exactly these devices')
        .choices(['merge', 'replace'])
        .default('merge'),
    )
    .option('--dry-run', 'check the files without changing anything')
    .option('--watch', 'show the progress until the import has ended')
    .addOption(bucketOption('--access-key-id <id>', 'AWS_ACCESS_KEY_ID'))
    .addOption(bucketOption('--secret-access-key <secret>', 'AWS_SECRET_ACCESS_KEY'))
    .addOption(bucketOption('--session-token <token>', 'AWS_SESSION_TOKEN'))
    .option('--role-arn <arn>', "instead of keys: a role that reads the partner's own bucket")
    .addOption(bucketOption('--region <region>', 'AWS_REGION'))
    .addHelpText(
      'after',
      `
The path is relative to the partner's prefix, or s3://<bucket>/<path> in the partner's own bucket.
With --watch the exit code is 0 if the import is done and 1 if it failed.`,
    );

  addAction(command, async (client, path: string, options: ImportOptions) => {
    const queued = await answerOf(
      client.POST('/v1/marketplace/import', { body: importBody(path, options) }),
    );
    const id = queued.import_log_id;
    if (options.watch) return watchToEnd(client, id);
    return { answer: queued, text: `Queued as job ${id}: tributary logs ${id} --watch` };
  });
}

function importBody(path: string, options: ImportOptions) {
  const { compressed, mode, dryRun } = options;
  return {
    file_path: path,
    key_type: options.keyType === '0' ? (0 as const) : (1 as const),
    mode,
    ...(compressed === undefined ? {} : { compressed }),
    ...(dryRun ? { dry_run: true } : {}),
    ...(path.startsWith('s3://') ? ownBucket(options) : {}),
  };
}

function ownBucket(options: ImportOptions) {
  const { accessKeyId, secretAccessKey, sessionToken, roleArn, region } = options;
  const path_type = 1 as const;
  if (region !== undefined) {
    if (roleArn !== undefined) return { path_type, credentials: { roleArn, region } };
    if (accessKeyId !== undefined && secretAccessKey !== undefined) {
      const token = sessionToken === undefined ? {} : { sessionToken };
      return { path_type, credentials: { accessKeyId, secretAccessKey, ...token, region } };
    }
  }
  throw new Error(
    "the partner's own bucket requires AWS_REGION, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or --role-arn",
  );
}

function bucketOption(flags: string, variable: string): Option {
  return new Option(flags, "for the partner's own bucket").env(variable);
}
