import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { AddAction } from '../commands/add-action.ts';

export function addBucketRoleCommand(command: Command, addAction: AddAction): void {
  addAction(command, async (client) => {
    const role = await answerOf(client.GET('/v1/marketplace/bucket-role'));
    const text =
      role.trust_policy === null
        ? `This service does not assume roles. The external ID is ${role.external_id}.`
        : JSON.stringify(role.trust_policy, null, 2);
    return { answer: role, text };
  });
}
