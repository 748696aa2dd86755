import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { Connect } from '../connect/connection.ts';
import { type OutputOptions, print, table } from '../output/print.ts';

export function addSessionCommands(program: Command, connect: Connect): void {
  const session = program.command('session').description('who is signed in to the console');

  session
    .command('list')
    .description('list the sessions that are valid, of everybody')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const client = await connect();
      const sessions = await answerOf(client.GET('/admin/v1/sessions'));
      const rows = sessions.map((each) => ({
        id: String(each.session_id),
        kind: each.kind,
        name: each.name,
        from: each.remote_address,
        'last used': each.last_used_at,
        expires: each.expires_at,
      }));
      print(sessions, table(rows, 'Nobody is signed in.'), options);
    });

  session
    .command('revoke <session_id>')
    .description('end a session; it is refused from the next request on')
    .option('--json', 'print JSON')
    .action(async (sessionId: string, options: OutputOptions) => {
      const client = await connect();
      const path = { session_id: sessionId };
      await answerOf(client.DELETE('/admin/v1/sessions/{session_id}', { params: { path } }));
      print({ revoked: Number(sessionId) }, `Session ${sessionId} is revoked.`, options);
    });
}
