import { expect, test } from 'vitest';
import { badgeOfCycle, type DropEvidence, reportInWords } from './drop-cycle.ts';

test('a badge shows how far a cycle is, and whether it has a problem', () => {
  expect(badgeOfCycle({ state: 'accepted', problem: null })).toEqual({
    state: 'done',
    word: 'Accepted',
  });
  expect(badgeOfCycle({ state: 'removed', problem: null }).state).toBe('running');
  expect(badgeOfCycle({ state: 'lifted', problem: 'DROP rejected a file' })).toEqual({
    state: 'failed',
    word: 'Answer to be sent',
  });
});

test('the counts are shown once a response is written', () => {
  const evidence = { deleted: 1_200, not_found: 3, files: [] } as unknown as DropEvidence;
  expect(reportInWords(evidence)).toBe('nothing yet');
  const files = [{}] as unknown as DropEvidence['files'];
  expect(reportInWords({ ...evidence, files })).toBe('1,200 deleted, 3 not found');
});
