import { type Command, Option } from 'commander';
import { answerOf } from '../../client/client.ts';
import {
  asPartner,
  type ConnectPartner,
  type PartnerOptions,
} from '../connect/partner-connection.ts';
import { type OutputOptions, print } from '../output/print.ts';
import { showJob } from './logs-command.ts';

interface ImportOptions extends OutputOptions, PartnerOptions {
  readonly keyType: '0' | '1';
  readonly compressed?: boolean;
  readonly mode: 'merge' | 'replace';
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly region?: string;
}

export function addImportCommand(program: Command, connect: ConnectPartner): void {
  asPartner(program.command('import <path>'))
    .description('queue the import of a file, or of every file below a path')
    .addOption(
      new Option(
        '--key-type <type>',
        'what the keys are: 0 = attribute_id, 1 = partner_foreign_key',
      )
        .choices(['0', '1'])
        .default('1'),
    )
    .option('--compressed', 'the files are gzip (default: their content tells)')
    .option('--no-compressed', 'the files are plain')
    .addOption(
      new Option('--mode <mode>', 'replace: the attributes then hold exactly these devices')
        .choices(['merge', 'replace'])
        .default('merge'),
    )
    .option('--dry-run', 'check everything, apply nothing')
    .option('--watch', 'show its progress until it has ended')
    .addOption(bucketOption('--access-key-id <id>', 'AWS_ACCESS_KEY_ID'))
    .addOption(bucketOption('--secret-access-key <secret>', 'AWS_SECRET_ACCESS_KEY'))
    .addOption(bucketOption('--region <region>', 'AWS_REGION'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The path is relative to the partner's prefix, or s3://<bucket>/<path> in a bucket of its own.
With --watch the exit code is 0 if the import is done and 1 if it failed.`,
    )
    .action(async (path: string, options: ImportOptions) => {
      const client = connect(options);
      const queued = await answerOf(
        client.POST('/v1/marketplace/import', { body: importBody(path, options) }),
      );
      const id = queued.import_log_id;
      if (options.watch) return showJob(client, id, options);
      print(queued, `Queued as job ${id}: tributary logs ${id} --watch`, options);
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

function ownBucket({ accessKeyId, secretAccessKey, region }: ImportOptions) {
  if (accessKeyId === undefined || secretAccessKey === undefined || region === undefined) {
    throw new Error(
      "a bucket of the partner's own needs AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION",
    );
  }
  return { path_type: 1 as const, credentials: { accessKeyId, secretAccessKey, region } };
}

function bucketOption(flags: string, variable: string): Option {
  return new Option(flags, "for a bucket of the partner's own").env(variable);
}
