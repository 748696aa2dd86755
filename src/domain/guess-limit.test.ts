import { expect, test, vi } from 'vitest';
import { createGuessLimit, type GuessLimit } from './guess-limit.ts';

function attempt(limit: GuessLimit, network: string, credential: string, isRight: boolean) {
  const guess = limit.begin(network, credential);
  if (guess.waitSeconds !== null) return guess.waitSeconds;
  if (isRight) guess.right();
  else guess.wrong();
  return isRight ? 'right' : 'wrong';
}

test('a network may present a number of wrong credentials per minute', () => {
  let time = 1_000;
  const limit = createGuessLimit(2, () => time);
  expect(attempt(limit, 'a', 'x', false)).toBe('wrong');
  time += 20_000;
  expect(attempt(limit, 'a', 'y', false)).toBe('wrong');
  expect(attempt(limit, 'a', 'z', true)).toBe(40);
  expect(attempt(limit, 'b', 'z', true)).toBe('right');
  time += 40_000;
  expect(attempt(limit, 'a', 'new', true)).toBe('right');
});

test('right credentials do not count, and are accepted also beyond the limit', () => {
  const limit = createGuessLimit(2, () => 0);
  for (let n = 0; n < 10; n++) expect(attempt(limit, 'a', `right ${n}`, true)).toBe('right');
  limit.trust('issued');
  for (let n = 0; n < 10; n++) attempt(limit, 'a', `wrong ${n}`, false);
  expect(attempt(limit, 'a', 'unseen', true)).toBe(60);
  expect(attempt(limit, 'a', 'right 3', true)).toBe('right');
  expect(attempt(limit, 'a', 'issued', true)).toBe('right');
});

test('a credential that is no longer right does not count against its network', () => {
  let time = 0;
  const limit = createGuessLimit(2, () => time);
  for (const name of ['one', 'two', 'three']) attempt(limit, 'a', name, true);
  for (const name of ['one', 'two', 'three']) {
    expect(attempt(limit, 'a', name, false)).toBe('wrong');
    expect(attempt(limit, 'a', name, false)).toBe('wrong');
  }
  expect(attempt(limit, 'a', 'unseen', true)).toBe('right');
  // Beyond the limit, it counts like any other.
  expect(attempt(limit, 'a', 'one', false)).toBe('wrong');
  expect(attempt(limit, 'a', 'one', false)).toBe('wrong');
  expect(attempt(limit, 'a', 'one', false)).toBe(60);
  time += 60_000;
  expect(attempt(limit, 'a', 'one', true)).toBe('right');
});

test('credentials that are being checked count as wrong, each of them once', () => {
  const limit = createGuessLimit(2, () => 0);
  const first = limit.begin('a', 'x');
  const again = limit.begin('a', 'x');
  const second = limit.begin('a', 'y');
  expect([first, again, second].map(({ waitSeconds }) => waitSeconds)).toEqual([null, null, null]);
  expect(limit.begin('a', 'z').waitSeconds).toBe(1);
  expect(limit.begin('a', 'x').waitSeconds).toBeNull();
  second.drop();
  expect(limit.begin('a', 'z').waitSeconds).toBeNull();
  again.right();
  expect(limit.begin('a', 'x').waitSeconds).toBeNull();
});

test('what it remembers is bounded', () => {
  const limit = createGuessLimit(1, () => 0);
  attempt(limit, 'first', 'x', false);
  limit.trust('oldest');
  for (let n = 0; n < 100_000; n++) {
    attempt(limit, `network ${n}`, 'x', false);
    limit.trust(`credential ${n}`);
  }
  expect(attempt(limit, 'first', 'y', true)).toBe('right');
  attempt(limit, 'b', 'x', false);
  expect(attempt(limit, 'b', 'oldest', true)).toBe(60);
  expect(attempt(limit, 'b', 'credential 99999', true)).toBe('right');
});

test('a refused guess changes nothing', () => {
  const limit = createGuessLimit(1, () => 0);
  attempt(limit, 'a', 'x', false);
  const refused = limit.begin('a', 'y');
  refused.right();
  refused.wrong();
  refused.drop();
  expect(limit.begin('a', 'y').waitSeconds).toBe(60);
});

test('a network waits no longer than a minute even if the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const limit = createGuessLimit(1);
    attempt(limit, 'a', 'x', false);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(attempt(limit, 'a', 'y', true)).toBe(60);
    vi.advanceTimersByTime(60_000);
    expect(attempt(limit, 'a', 'y', true)).toBe('right');
  } finally {
    vi.useRealTimers();
  }
});
