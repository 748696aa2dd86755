import { expect, test } from 'vitest';
import { csvLine } from './csv-line.ts';

test('cells are quoted if needed, and no text is a formula', () => {
  expect(csvLine(['a', -1.5, null, 'b, "c"', '=1+1', ' @x', '-2'])).toBe(
    `a,-1.5,,"b, ""c""",'=1+1,' @x,'-2\r\n`,
  );
});
