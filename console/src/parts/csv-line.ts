/** The start of a formula, which spreadsheets would run. Blanks before it are skipped, as they do. */
const formula = /^\s*[=+\-@＝＋－＠]/;

/** One line of a CSV file (RFC 4180). Null is an empty cell. Text never begins a formula. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
