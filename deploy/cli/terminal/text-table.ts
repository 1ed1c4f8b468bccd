/**
 * Formats a table as kubectl prints it: columns as wide as their longest cell, separated by three spaces. Cells may have
 * text of other users: it is printed without control characters, which could change the terminal or add rows.
 */

const CONTROL_CHARACTERS = /\p{Cc}+/gu;

/** Lines without trailing spaces, each with a line feed. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((cells) => cells.map((cell) => cell.replace(CONTROL_CHARACTERS, ' ')))];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)));
  const lineOf = (cells: readonly string[]): string => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ');
  return lines.map((cells) => `${lineOf(cells).trimEnd()}\n`).join('');
}
