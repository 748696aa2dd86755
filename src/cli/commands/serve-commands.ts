import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/settings.ts';

const settingsHelp = `
Settings, from the environment, the same for all processes:
  DATABASE_URL, TRIBUTARY_SECRET_KEY, TRIBUTARY_ADMIN_TOKEN
  TRIBUTARY_S3_*, TRIBUTARY_BUCKET, TRIBUTARY_WAREHOUSE  or the same data dir
README.md has all of them, docs/scaling.md says how to run many processes.`;

/** A service is `npm start`; or these, as many of each as it takes. */
export function addServeCommands(
  program: Command,
  configWith: (settings: Environment) => Config,
): void {
  program
    .command('api')
    .description('serve the API and the console, as one of any number of processes')
    .addHelpText('after', settingsHelp)
    .action(() => serve('api', configWith({})));

  program
    .command('worker')
    .description('load files, as one of any number of processes')
    .option(
      '--concurrency <n>',
      'for how many partners to work at once (default: TRIBUTARY_WORKER_CONCURRENCY, or 4)',
    )
    .addHelpText('after', settingsHelp)
    .action(({ concurrency }: { concurrency?: string }) =>
      serve(
        'worker',
        configWith(concurrency === undefined ? {} : { TRIBUTARY_WORKER_CONCURRENCY: concurrency }),
      ),
    );
}

async function serve(role: 'api' | 'worker', config: Config): Promise<void> {
  // Loaded only here: all other commands do without the service itself.
  const { serveStandaloneRole } = await import('../../process/serve-role.ts');
  await serveStandaloneRole(role, config);
  process.exit();
}
