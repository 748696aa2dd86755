import { expect, test } from 'vitest';
import {
  badgeOf,
  faultsOf,
  foundInWords,
  identifiersIn,
  type PrivacyRequest,
  placesInWords,
} from './privacy-request.ts';

const request: PrivacyRequest = {
  request_id: 1,
  kind: 'delete',
  reference: 'case 1',
  state: 'received',
  identifiers: 3,
  counts: null,
  received_at: '2026-01-31T12:00:00.000Z',
  suppressed_at: null,
  removed_at: null,
  done_at: null,
  raw_files_until: null,
  raw_files_kept_for_good: 0,
};

test('a request says how far it is', () => {
  const words = (['received', 'suppressed', 'removed', 'done'] as const).map(
    (state) => badgeOf({ ...request, state }).word,
  );
  expect(words).toEqual(['Received', 'Being removed', 'Removed, bytes being deleted', 'Done']);
  expect(badgeOf({ ...request, kind: 'access', state: 'done' }).word).toBe('Answered');
});

test('a request says what was found, and where', () => {
  expect([foundInWords(request), placesInWords(request)]).toEqual(['3 identifiers', null]);
  const counts = {
    found: 2,
    attributes: 1_200,
    audiences: 1,
    partners: 2,
    memberships: 1_201,
    is_complete: true,
  };
  const counted = { ...request, counts };
  expect(foundInWords(counted)).toBe('2 of 3 stored');
  expect(placesInWords(counted)).toBe('1,200 attributes and 1 audience of 2 partners');
});

test('identifiers are read from a list, and faults name their place in it', () => {
  expect(identifiersIn(' a \n\nb,c;\td\n')).toEqual(['a', 'b', 'c', 'd']);
  const errors = [
    { pointer: '/identifiers/1', message: 'must be a UUID' },
    { pointer: '/reference', message: 'is too long' },
  ];
  expect(faultsOf(errors)).toEqual(['Identifier 2 must be a UUID.']);
});
