import { describe, expect, it } from 'vitest';
import { baselineWords, comparableAudiences } from './baseline.ts';

describe('a baseline', () => {
  it.each([
    ['universe', null, 'all devices'],
    ['partner:3', 'Northwind', 'the devices known to Northwind'],
    ['audience:7', 'Hikers', 'the audience “Hikers”'],
  ])('%s is described', (choice, name, words) => {
    expect(baselineWords({ choice, name })).toBe(words);
  });

  it('can be another audience of the same customer', () => {
    const audience = (audience_id: number, customer_name: string | null) => ({
      audience_id,
      customer_name,
      name: 'Hikers',
    });
    const listed = [audience(1, 'Harbor'), audience(2, 'Harbor'), audience(3, null)];
    expect(comparableAudiences(listed, audience(1, 'Harbor'))).toEqual([audience(2, 'Harbor')]);
    expect(comparableAudiences(listed, audience(4, null))).toEqual([audience(3, null)]);
  });
});
