import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foremost, isRejection, problemCost, problemTitle, problemWords } from './problem-words.ts';

const domain = new URL('../../../../src/domain/import-problems.ts', import.meta.url);

describe('words for problems', () => {
  it('knows every code of the domain, and no other', () => {
    const source = readFileSync(domain, 'utf8');
    const codes = Array.from(source.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g), ([, code]) => code!);
    expect(codes).toContain('worker_lost');
    expect(Object.keys(problemWords).toSorted()).toEqual([...new Set(codes)].toSorted());
  });

  it('has words that are told apart and fit a table', () => {
    const titles = Object.values(problemWords).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const title of titles) expect(title).toMatch(/^[A-Z][^_]{8,48}$/);
  });

  it('makes do with a code that it does not know', () => {
    expect(problemTitle('moon_phase')).toBe('Moon phase');
    expect(problemTitle('toString')).toBe('ToString');
    expect(problemCost('moon_phase', '2', false)).toBe('Not loaded');
  });

  it('says what a problem costs', () => {
    expect(problemCost('malformed_id', '1', true)).toBe('1 row dropped');
    expect(problemCost('label_too_long', '1,200', false)).toBe('1,200 rows loaded without label');
    expect(problemCost('bad_encoding', '1', true)).toBe('Not loaded');
  });

  it('names first what failed a file', () => {
    const problems = [{ code: 'hashed_id' }, { code: 'too_many_rejects' }];
    expect(foremost(problems)).toEqual({ code: 'too_many_rejects' });
    expect(foremost(problems.slice(0, 1))).toEqual({ code: 'hashed_id' });
    expect(foremost([])).toBeUndefined();
  });

  it('tells the rows that were rejected from labels and files', () => {
    const codes = ['hashed_id', 'too_many_labels', 'too_many_rejects', 'moon_phase'];
    expect(codes.filter(isRejection)).toEqual(['hashed_id']);
  });
});
