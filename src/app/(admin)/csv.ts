/**
 * One line of a CSV file. A cell that a spreadsheet would take for a formula begins with an apostrophe: a name is chosen
 * by its owner, and opened by an admin.
 */
export function csvLine(cells: (string | Date | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

/**
 * Where a formula would begin: at the beginning of a cell, and behind any sign at which some spreadsheet parts cells.
 * Where a comma is part of numbers that is a semicolon, and quotes do not keep it from doing so.
 */
const formula = /(^|[,;\t\r\n])([\s"]*)(?=[=+\-@|%＝＋－＠])/g

function cell(value: string | Date | null): string {
  const text = value instanceof Date ? value.toISOString() : (value ?? '')
  const safe = (/^[\t\r\n]/.test(text) ? `'${text}` : text).replace(formula, "$1$2'")
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
