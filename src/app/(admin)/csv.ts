/**
 * One line of a CSV file. Cells that a spreadsheet would run as a formula get an apostrophe in front: users choose
 * their names, and admins open the file (CSV injection).
 */
export function csvLine(cells: (string | Date | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

/**
 * Where a formula could start: at the start of a cell, and after any character that some spreadsheet uses as a
 * separator. In locales with a decimal comma, spreadsheets split at semicolons, even inside quotes.
 */
const formula = /(^|[,;\t\r\n])([\s"]*)(?=[=+\-@|%＝＋－＠])/g

function cell(value: string | Date | null): string {
  const text = value instanceof Date ? value.toISOString() : (value ?? '')
  const safe = (/^[\t\r\n]/.test(text) ? `'${text}` : text).replace(formula, "$1$2'")
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
