import { type Command, Option } from 'commander';
import { allRecords, answerOf } from '../../client/client.ts';
import type { AddAction } from '../commands/add-action.ts';
import { table, time } from '../output/print.ts';

interface NewWatchOptions {
  readonly keyType: '0' | '1';
  readonly mode: 'merge' | 'replace';
  readonly settle?: string;
  readonly marker?: string;
  readonly poll?: string;
  readonly skipExisting?: boolean;
  readonly roleArn?: string;
  readonly region?: string;
}

const one = '/v1/marketplace/watch/{watch_id}';

/** Watches that import files. */
export function addWatchCommands(watch: Command, addAction: AddAction): void {
  addAction(watch.command('list').description('list the watches'), async (client) => {
    const watches = await allRecords((query) =>
      client.GET('/v1/marketplace/watch', { params: { query } }),
    );
    const rows = watches.map((each) => ({
      id: String(each.watch_id),
      path: each.file_path,
      state: each.state,
      waiting: each.files_waiting + each.files_queued,
      loaded: each.files_loaded,
      failed: each.files_failed,
      why: each.paused_reason ?? each.poll_error ?? '',
    }));
    return { answer: watches, text: table(rows, 'There are no watches yet.') };
  });

  addAction(
    watch
      .command('create <path>')
      .description('import every file that appears under a path, or under s3://… with a role')
      .addOption(
        new Option('--key-type <type>', 'how the files name attributes, as in an import')
          .choices(['0', '1'])
          .default('1'),
      )
      .addOption(new Option('--mode <mode>').choices(['merge', 'replace']).default('merge'))
      .option('--settle <seconds>', 'load a file when it has not changed for this long')
      .option('--marker <name>', 'load the files of a folder when it has this file, e.g. _SUCCESS')
      .option('--poll <seconds>', 'how often the files are listed')
      .option('--skip-existing', 'do not load files that are there already')
      .option('--role-arn <arn>', "a role that reads the partner's own bucket")
      .addOption(new Option('--region <region>', "of the partner's own bucket").env('AWS_REGION')),
    async (client, path: string, options: NewWatchOptions) => {
      const created = await answerOf(
        client.POST('/v1/marketplace/watch', { body: watchBody(path, options) }),
      );
      return { answer: created, text: `Created watch ${created.watch_id}.` };
    },
  );

  addAction(
    watch
      .command('files <watch_id>')
      .description('list the last 100 files and how they were loaded'),
    async (client, id: string) => {
      const params = { path: { watch_id: id } };
      const files = await answerOf(client.GET(`${one}/files`, { params }));
      const rows = files.map((each) => ({
        changed: time(each.modified_at),
        state: each.state,
        job: each.job_id === null ? '' : String(each.job_id),
        key: each.key,
      }));
      return { answer: files, text: table(rows, 'No files were found yet.') };
    },
  );

  for (const [name, state] of [
    ['pause', 'paused'],
    ['resume', 'active'],
  ] as const) {
    addAction(
      watch.command(`${name} <watch_id>`).description(`${name} a watch`),
      async (client, id: string) => {
        const params = { path: { watch_id: id } };
        const answer = await answerOf(client.PATCH(one, { params, body: { state } }));
        return { answer, text: `Watch ${id} is ${state}.` };
      },
    );
  }

  addAction(
    watch.command('remove <watch_id>').description('remove a watch; queued jobs still run'),
    async (client, id: string) => {
      const params = { path: { watch_id: id } };
      await answerOf(client.DELETE(one, { params }));
      return { answer: {}, text: `Removed watch ${id}.` };
    },
  );
}

function watchBody(path: string, options: NewWatchOptions) {
  const { settle, marker, poll, roleArn, region, skipExisting } = options;
  return {
    file_path: path,
    key_type: options.keyType === '0' ? (0 as const) : (1 as const),
    mode: options.mode,
    ...(settle === undefined ? {} : { settle_seconds: Number(settle) }),
    ...(marker === undefined ? {} : { marker }),
    ...(poll === undefined ? {} : { poll_seconds: Number(poll) }),
    ...(skipExisting ? { existing_files: 'skip' as const } : {}),
    ...(path.startsWith('s3://') ? ownBucket(roleArn, region) : {}),
  };
}

function ownBucket(roleArn: string | undefined, region: string | undefined) {
  if (roleArn === undefined || region === undefined) {
    throw new Error("the partner's own bucket requires --role-arn and --region");
  }
  return { path_type: 1 as const, credentials: { roleArn, region } };
}
