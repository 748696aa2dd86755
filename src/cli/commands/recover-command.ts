import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';

export function addRecoverCommand(recover: Command, readConfig: () => Config): void {
  recover
    .requiredOption(
      '--accept-older-database',
      'let the next start use the database, although it is older than the data dir',
    )
    .action(async () => {
      const config = readConfig();
      const { acceptDatabase } = await import('../../process/recover.ts');
      await acceptDatabase(config);
      process.stdout.write(
        `The next start accepts the database. Files that it does not know are kept in trash folders for ${config.trashDays} days.\n`,
      );
    });
}
