import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { type OutputOptions, print, table } from '../output/print.ts';

export function addDoctorCommand(doctor: Command, readConfig: () => Config): void {
  doctor
    .requiredOption(
      '--restore-check',
      'check that database, data dir, bucket and shards belong together, after a restore',
    )
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const { checkRestoredHere } = await import('../../process/restore-check.ts');
      const found = await checkRestoredHere(readConfig(), new AbortController().signal);
      const rows = found.map(({ piece, isFine, text }) => ({
        piece,
        state: isFine ? 'fits' : 'WRONG',
        found: text,
      }));
      print(found, table(rows, ''), options);
      if (found.some(({ isFine }) => !isFine)) process.exitCode = 1;
    });
}
