import { describe, expect, it } from 'vitest';
import { csvFileName } from './csv-file-name.ts';

describe('the name of the file', () => {
  it.each([
    ['Weekend hikers', 'weekend-hikers-composition-2026-03-05.csv'],
    ['../../etc/passwd', 'etc-passwd-composition-2026-03-05.csv'],
    ['CON: "a|b" <c>', 'con-a-b-c-composition-2026-03-05.csv'],
    ['Käufer 日本', 'käufer-日本-composition-2026-03-05.csv'],
    ['…', 'audience-composition-2026-03-05.csv'],
    ['a'.repeat(255), `${'a'.repeat(80)}-composition-2026-03-05.csv`],
  ])('of %s is %s', (audience, file) => {
    expect(csvFileName(audience, new Date(2026, 2, 5))).toBe(file);
  });
});
