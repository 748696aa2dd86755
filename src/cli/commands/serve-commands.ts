import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/settings.ts';
import { settingsHelp } from './settings-help.ts';

type ReadConfig = (settings?: Environment) => Config;

const sameSettings = `

All processes of a service need the same settings. See docs/settings.md and docs/scaling.md.`;

export function addStartCommand(start: Command, readConfig: ReadConfig, env: Environment): void {
  start.addHelpText('after', settingsHelp('api') + settingsHelp('worker')).action(async () => {
    const { serveAll } = await import('../../process/serve-role.ts');
    await serveAll(readConfig(), env);
    process.exit();
  });
}

export function addApiCommand(api: Command, readConfig: ReadConfig): void {
  api
    .addHelpText('after', settingsHelp('api') + sameSettings)
    .action(() => serve('api', readConfig()));
}

export function addWorkerCommand(worker: Command, readConfig: ReadConfig): void {
  worker
    .option('--concurrency <n>', 'how many large jobs to run at the same time')
    .addHelpText('after', settingsHelp('worker') + sameSettings)
    .action(({ concurrency = '' }: { concurrency?: string }) =>
      serve(
        'worker',
        readConfig(concurrency === '' ? {} : { TRIBUTARY_WORKER_CONCURRENCY: concurrency }),
      ),
    );
}

export function addMigrateCommand(migrate: Command, readConfig: ReadConfig): void {
  migrate.addHelpText('after', sameSettings).action(async () => {
    const { migrateOnly } = await import('../../process/serve-role.ts');
    await migrateOnly(readConfig());
    process.stdout.write('The database has the schema of this version.\n');
  });
}

async function serve(role: 'api' | 'worker', config: Config): Promise<void> {
  const { serveStandaloneRole } = await import('../../process/serve-role.ts');
  await serveStandaloneRole(role, config);
  process.exit();
}
