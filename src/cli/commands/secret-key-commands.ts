import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { count } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

export function addSecretKeyCommands(secretKey: Command, addAction: AddAction): void {
  addAction(
    secretKey
      .command('reseal')
      .description('encrypt all stored secrets with the first key of TRIBUTARY_SECRET_KEY'),
    async (client) => {
      const answer = await answerOf(client.POST('/admin/v1/secret-key/reseal'));
      const text = `Encrypted ${count(answer.resealed)} secrets with the newest key. You can remove the older keys from TRIBUTARY_SECRET_KEY.`;
      return { answer, text };
    },
  );
}
