import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  isRejection,
  mainProblem,
  problemCost,
  problemTitle,
  problemWords,
} from './problem-words.ts';

const domain = new URL('../../../../src/domain/import-problems.ts', import.meta.url);

describe('texts for problems', () => {
  it('cover every code of the domain, and no other', () => {
    const source = readFileSync(domain, 'utf8');
    const codes = Array.from(source.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g), ([, code]) => code!);
    expect(codes).toContain('worker_lost');
    expect(Object.keys(problemWords).toSorted()).toEqual([...new Set(codes)].toSorted());
  });

  it('have distinct titles that fit a table', () => {
    const titles = Object.values(problemWords).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const title of titles) expect(title).toMatch(/^[A-Z][^_]{8,48}$/);
  });

  it('fall back to the code if it is unknown', () => {
    expect(problemTitle('moon_phase')).toBe('Moon phase');
    expect(problemTitle('toString')).toBe('ToString');
    expect(problemCost('moon_phase', 2)).toBe('Not loaded');
  });

  it('say what a problem costs', () => {
    expect(problemCost('malformed_id', 1)).toBe('1 row rejected');
    expect(problemCost('label_too_long', 1_200)).toBe('1,200 rows loaded without label');
    expect(problemCost('bad_encoding', 1)).toBe('Not loaded');
  });

  it('prefer the problem that made a file fail', () => {
    const problems = [{ code: 'hashed_id' }, { code: 'too_many_rejects' }];
    expect(mainProblem(problems)).toEqual({ code: 'too_many_rejects' });
    expect(mainProblem(problems.slice(0, 1))).toEqual({ code: 'hashed_id' });
    expect(mainProblem([])).toBeUndefined();
  });

  it('distinguish rejected rows from labels and files', () => {
    const codes = ['hashed_id', 'too_many_labels', 'too_many_rejects', 'moon_phase'];
    expect(codes.filter(isRejection)).toEqual(['hashed_id']);
  });
});
