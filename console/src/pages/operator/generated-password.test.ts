import { expect, test } from 'vitest';
import { generatePassword } from './generated-password.ts';

test('passwords differ, are long enough, and omit characters that people confuse', () => {
  const passwords = Array.from({ length: 500 }, generatePassword);
  expect(new Set(passwords).size).toBe(500);
  for (const password of passwords)
    expect(password).toMatch(/^([a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/);
});

test('every character of the alphabet is about equally likely', () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 500; i++) {
    for (const each of generatePassword().replaceAll('-', '')) {
      counts.set(each, (counts.get(each) ?? 0) + 1);
    }
  }
  expect(counts.size).toBe(32);
  // 312 are expected, with a standard deviation of 17. Ten deviations never happen.
  expect(Math.min(...counts.values())).toBeGreaterThan(140);
  expect(Math.max(...counts.values())).toBeLessThan(490);
});
