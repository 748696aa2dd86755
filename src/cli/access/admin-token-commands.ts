import { type Command, InvalidArgumentError } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { AddAction } from '../commands/add-action.ts';
import { card, time } from '../output/print.ts';

const hour = 60 * 60;

export function addAdminTokenCommands(adminToken: Command, addAction: AddAction): void {
  addAction(
    adminToken
      .command('rotate')
      .description(
        'replace the admin token, and end the sessions that were opened with the old one',
      )
      .option('--overlap <hours>', 'how long the old token stays valid', readHours, 24),
    async (client, { overlap }: { overlap: number }) => {
      const body = { overlap_seconds: Math.round(overlap * hour) };
      const answer = await answerOf(client.POST('/admin/v1/admin-token/rotate', { body }));
      const shown = card({
        admin_token: answer.admin_token,
        'old token valid until': time(answer.old_valid_until),
      });
      const next = answer.is_saved
        ? 'The service has written it to the file admin-token of its data dir.'
        : 'Set TRIBUTARY_ADMIN_TOKEN to it for every process and for this command, and restart the processes at any time.';
      return { answer, text: `${shown}\n\n${next} It is not shown again.` };
    },
  );
}

function readHours(text: string): number {
  const hours = Number(text);
  if (text.trim() === '' || !(hours >= 0)) {
    throw new InvalidArgumentError('It must be a number of hours, such as 0 or 24.');
  }
  return hours;
}
