/** Markdown as text: pages, sections and tables, with escaped cells. */

/** One line of text. Backticks come in pairs and mark code ({@link code}), which is not escaped but for vertical bars. */
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

/** A page. `introduction` is Markdown, which is not escaped. */
export function page(title: string, introduction: string, sections: readonly Section[]): string {
  return `${[`# ${title}`, introduction, ...sections.flatMap(sectionBlocks)].join('\n\n')}\n`;
}

/** A page with sections that are code blocks of terminal output. */
export function textPage(
  title: string,
  introduction: string,
  sections: readonly { readonly heading: string; readonly text: string }[],
): string {
  const blocks = sections.flatMap(({ heading, text }) => [`## ${heading}`, `\`\`\`\n${text.trimEnd()}\n\`\`\``]);
  return `${[`# ${title}`, introduction, ...blocks].join('\n\n')}\n`;
}

function sectionBlocks({ heading, introduction, columns, rows }: Section): readonly string[] {
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => row.map(escapeCell))].map((cells) => `| ${cells.join(' | ')} |`);
  return [`## ${heading}`, ...(introduction === undefined ? [] : [introduction]), lines.join('\n')];
}

/** A vertical bar would end the cell, also within code; outside code an asterisk or angle bracket would be markup. */
function escapeCell(cell: Cell): string {
  const parts = cell.replaceAll('|', String.raw`\|`).split('`');
  const isCode = (index: number): boolean => index % 2 === 1;
  return parts.map((part, index) => (isCode(index) ? part : part.replaceAll(/[*<>]/g, String.raw`\$&`))).join('`');
}
