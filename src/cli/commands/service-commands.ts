import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { Connect } from '../connect/connection.ts';
import { bytes, card, count, duration, type OutputOptions, print, table } from '../output/print.ts';

export function addServiceCommands(program: Command, connect: Connect): void {
  program
    .command('status')
    .description('what waits, for how long, and what is stored')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const client = await connect();
      const status = await answerOf(client.GET('/admin/v1/status'));
      const lanes = status.queue.map((lane) => ({
        partner: lane.name,
        pending: lane.pending,
        running: lane.running,
        oldest: duration(lane.oldest_age_seconds),
      }));
      const { storage, universe } = status;
      const stored = card({
        objects: `${count(storage.objects)} (${bytes(storage.object_bytes)})`,
        runs: `${count(storage.runs)} (${bytes(storage.run_bytes)})`,
        universe: `version ${universe.version}, ${count(universe.backlog)} runs behind`,
        'outdated audiences': universe.outdated_audiences,
      });
      print(status, `${table(lanes, 'Nothing waits.')}\n\n${stored}`, options);
    });

  program
    .command('audit')
    .description('the latest calls of the operator interface')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const client = await connect();
      const calls = await answerOf(client.GET('/admin/v1/audit'));
      const rows = calls.map((call) => ({
        when: call.called_at,
        from: call.remote_address,
        action: call.action,
        target: call.target,
        status: call.status === null ? '-' : String(call.status),
      }));
      print(calls, table(rows, 'There were no calls.'), options);
    });
}
