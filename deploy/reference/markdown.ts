/** Markdown as text: pages, sections and tables. Cells are escaped here and nowhere else. */

/** A cell is plain text; {@link code} marks names, which stay as they are. */
export type Cell = string;

/** A heading with a table. */
export interface Section {
  readonly heading: string;
  /** Markdown above the table. */
  readonly introduction?: string;
  readonly columns: readonly string[];
  /** Cells in the order of the columns. */
  readonly rows: readonly (readonly Cell[])[];
}

/** `name` as code; an empty name stays empty. */
export const code = (name: string): Cell => (name === '' ? '' : `\`${name}\``);

/** Names as code, with commas. */
export const codes = (names: readonly string[]): Cell => names.map(code).join(', ');

/** A page that ends with one line feed. */
export function page(title: string, introduction: string, sections: readonly Section[]): string {
  return `${[`# ${title}`, introduction, ...sections.flatMap(sectionText)].join('\n\n')}\n`;
}

/** A page with sections that are texts of a terminal. */
export function textPage(
  title: string,
  introduction: string,
  sections: readonly { readonly heading: string; readonly text: string }[],
): string {
  const blocks = sections.flatMap(({ heading, text }) => [`## ${heading}`, `\`\`\`\n${text.trimEnd()}\n\`\`\``]);
  return `${[`# ${title}`, introduction, ...blocks].join('\n\n')}\n`;
}

function sectionText({ heading, introduction, columns, rows }: Section): readonly string[] {
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => row.map(escapeCell))].map((cells) => `| ${cells.join(' | ')} |`);
  return [`## ${heading}`, ...(introduction === undefined ? [] : [introduction]), lines.join('\n')];
}

/** A vertical bar would end the cell, also within code; outside code an asterisk or angle bracket would be markup. */
function escapeCell(cell: Cell): string {
  const parts = cell.replaceAll('|', String.raw`\|`).split('`');
  const isCode = (index: number): boolean => index % 2 === 1;
  return parts.map((part, index) => (isCode(index) ? part : part.replaceAll(/[*<>]/g, String.raw`\$&`))).join('`');
}
