import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { bytes, card, count, duration, table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

export function addStatusCommand(status: Command, addAction: AddAction): void {
  addAction(status, async (client) => {
    const answer = await answerOf(client.GET('/admin/v1/status'));
    const lanes = answer.queue.map((lane) => ({
      partner: lane.name,
      pending: lane.pending,
      running: lane.running,
      oldest: duration(lane.oldest_age_seconds),
    }));
    const { backup, schema, storage, universe } = answer;
    const stored = card({
      objects: `${count(storage.objects)} (${bytes(storage.object_bytes)})`,
      runs: `${count(storage.runs)} (${bytes(storage.run_bytes)})`,
      universe: `version ${universe.version}, ${count(universe.backlog)} runs behind`,
      'outdated audiences': outdatedText(universe),
      backup: backupText(backup),
      schema: `version ${schema.version}, supported up to ${schema.supported}`,
    });
    const uses = storage.partners.map((use) => ({
      partner: use.name,
      stored: bytes(use.bytes),
      quota: use.quota === null ? '-' : bytes(use.quota),
    }));
    const removals = answer.removals.map(({ kind, name, removed_at, delete_by }) => ({
      removed: `${kind} ${name}`,
      since: time(removed_at),
      'deleted by': time(delete_by),
    }));
    const parts = [table(lanes, 'No jobs are waiting.'), stored];
    if (removals.length > 0) parts.push(table(removals, ''));
    if (uses.length > 0) parts.push(table(uses, '', ['stored', 'quota']));
    return { answer, text: parts.join('\n\n') };
  });
}

interface BackupStatus {
  readonly target: string | null;
  readonly age_seconds: number | null;
  readonly last_attempt: { readonly state: string; readonly problem: string | null } | null;
}

function backupText({ target, age_seconds, last_attempt }: BackupStatus): string {
  const age = age_seconds === null ? 'none' : `${duration(age_seconds)} old`;
  const failed =
    last_attempt?.state === 'failed' ? `, the last one failed: ${last_attempt.problem}` : '';
  return `${age}${failed}${target === null ? ', no schedule' : ''}`;
}

interface Outdated {
  readonly outdated_audiences: number;
  readonly refresh_seconds: number | null;
}

function outdatedText({ outdated_audiences, refresh_seconds }: Outdated): string {
  const audiences = count(outdated_audiences);
  return outdated_audiences === 0 || refresh_seconds === null
    ? audiences
    : `${audiences}, refreshed in about ${duration(refresh_seconds)}`;
}
