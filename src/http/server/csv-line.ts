/**
 * One line of a CSV file (RFC 4180). A cell that a spreadsheet would run as a formula is prefixed
 * with an apostrophe, because its text may come from an uploaded file. Null is an empty cell.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** Some spreadsheets skip a leading tab or carriage return, or treat full-width characters like ASCII. */
const formula = /^[=+\-@\t\r＝＋－＠]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
