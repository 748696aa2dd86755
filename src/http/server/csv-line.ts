/**
 * One line of a CSV file (RFC 4180). An apostrophe is put before text that a spreadsheet would run as a
 * formula, because the text may come from an uploaded file. Null is an empty cell.
 */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** Some spreadsheets treat full-width characters like ASCII. */
const operators = '[=+\\-@＝＋－＠]';
/**
 * The start of a formula: in the cell, or after a character that separates cells in another locale. Blanks
 * before it are skipped, as spreadsheets do.
 */
const formula = new RegExp(`(?<=(?:^|[;\\t\\r\\n])\\s*)${operators}`, 'g');

function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value.replace(formula, "'$&") : String(value);
  const shown = /^[\t\r]/.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
