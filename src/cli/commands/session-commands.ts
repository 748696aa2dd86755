import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

export function addSessionCommands(session: Command, addAction: AddAction): void {
  addAction(session.command('list').description('list all valid sessions'), async (client) => {
    const sessions = await answerOf(client.GET('/admin/v1/sessions'));
    const rows = sessions.map((each) => ({
      id: String(each.session_id),
      kind: each.kind,
      name: each.name,
      from: each.remote_address,
      'last used': time(each.last_used_at),
      expires: time(each.expires_at),
    }));
    return { answer: sessions, text: table(rows, 'Nobody is signed in.') };
  });

  addAction(
    session
      .command('revoke <session_id>')
      .description('end a session, effective from the next request'),
    async (client, id: string) => {
      const path = { session_id: id };
      await answerOf(client.DELETE('/admin/v1/sessions/{session_id}', { params: { path } }));
      return { answer: { revoked: Number(id) }, text: `Session ${id} is revoked.` };
    },
  );
}
