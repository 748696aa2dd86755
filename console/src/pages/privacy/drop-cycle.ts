import type { Answered } from '../../api/wire.ts';
import { count } from '../../parts/format.ts';
import type { State } from '../../parts/state-badge.tsx';

export type DropStatus = Answered<'/admin/v1/privacy/drop'>;
export type DropCycle = DropStatus['open_cycles'][number];
export type DropEvidence = Answered<'/admin/v1/privacy/cycles/{cycle_id}'>;

type Badge = { readonly state: State; readonly word: string };

const words: Readonly<Record<DropCycle['state'], Badge>> = {
  downloading: { state: 'running', word: 'Downloading' },
  downloaded: { state: 'running', word: 'Stored' },
  suppressed: { state: 'running', word: 'Kept out, being compared' },
  matched: { state: 'running', word: 'Being removed' },
  removed: { state: 'running', word: 'Removed, bytes being deleted' },
  deleted: { state: 'running', word: 'Deleted' },
  answered: { state: 'running', word: 'Answer written' },
  lifted: { state: 'pending', word: 'Answer to be sent' },
  accepted: { state: 'done', word: 'Accepted' },
  refused: { state: 'failed', word: 'Refused' },
};

/** How far a cycle is, as a badge shows it. */
export function badgeOfCycle({ state, problem }: Pick<DropCycle, 'state' | 'problem'>): Badge {
  const badge = words[state];
  return problem !== null && state !== 'accepted' ? { ...badge, state: 'failed' } : badge;
}

/** What was reported, such as "2 deleted, 1 not found". */
export function reportInWords({ deleted, not_found, files }: DropEvidence): string {
  if (files.length === 0) return 'nothing yet';
  return `${count(deleted)} deleted, ${count(not_found)} not found`;
}
