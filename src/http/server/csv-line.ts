/**
 * One line of a CSV file for people, in RFC 4180's form. A cell that a spreadsheet would take for a
 * formula gets an apostrophe before it, for what stands in it came from somebody's file. Null is an
 * empty cell.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** Tab and carriage return are skipped by some before they look, and the wide forms are read alike. */
const formula = /^[=+\-@\t\r＝＋－＠]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
