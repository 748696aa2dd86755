import { describe, expect, it } from 'vitest';
import { csvFileName } from './csv-file-name.ts';

describe('the name of the file', () => {
  it.each([
    ['Weekend hikers', 'weekend-hikers-composition.csv'],
    ['../../etc/passwd', 'etc-passwd-composition.csv'],
    ['CON: "a|b" <c>', 'con-a-b-c-composition.csv'],
    ['Käufer 日本', 'käufer-日本-composition.csv'],
    ['…', 'audience-composition.csv'],
    ['a'.repeat(255), `${'a'.repeat(80)}-composition.csv`],
  ])('of %s is %s', (audience, file) => {
    expect(csvFileName(audience)).toBe(file);
  });
});
